package io.bloomguard.it.realinput;

import io.bloomguard.it.support.RedisProcess;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** A PostgreSQL with the table {@code packages} and a Redis, one of each for all tests. */
final class RealParts implements AutoCloseable {

  private final AtomicInteger prefixes = new AtomicInteger();
  private final List<String> names = Names.real();
  private final EmbeddedPostgres postgres;
  private final RedisProcess redis;

  private RealParts() throws Exception {
    postgres = EmbeddedPostgres.start();
    fillTable();
    redis = new RedisProcess("redis");
  }

  /** The names in the table. */
  List<String> names() {
    return names;
  }

  /** The database. */
  DataSource dataSource() {
    return postgres.getPostgresDatabase();
  }

  /**
   * The arguments of processes that share a database and, where {@code backend} is {@code redis}, a
   * corner of Redis that no other call gave away.
   */
  List<String> arguments(String backend) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
                // The hash, and with it the share that passes, is the same in every run.
                "--bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
                "--bloomguard.backend=" + backend));
    if (backend.equals("redis")) {
      arguments.addAll(redis.arguments());
      arguments.add("--bloomguard.redis.key-prefix=it" + prefixes.incrementAndGet());
    }
    return arguments;
  }

  @Override
  public void close() throws IOException {
    redis.close();
    postgres.close();
  }

  private void fillTable() throws SQLException {
    try (Connection connection = postgres.getPostgresDatabase().getConnection()) {
      connection.setAutoCommit(false);
      connection
          .createStatement()
          .execute("create table packages (name varchar(100) primary key, position int not null)");
      try (PreparedStatement insert =
          connection.prepareStatement("insert into packages (name, position) values (?, ?)")) {
        for (int i = 0; i < names.size(); i++) {
          insert.setString(1, names.get(i));
          insert.setInt(2, i + 1);
          insert.addBatch();
        }
        insert.executeBatch();
      }
      connection.commit();
    }
  }

  /** Starts the parts with the first test that asks for them; they end with the last test. */
  static final class Provider implements ParameterResolver {

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == RealParts.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return context
          .getRoot()
          .getStore(Namespace.create(RealParts.class))
          .computeIfAbsent(RealParts.class, type -> start());
    }

    private static RealParts start() {
      try {
        return new RealParts();
      } catch (Exception e) {
        throw new IllegalStateException("PostgreSQL or Redis did not start", e);
      }
    }
  }
}

package io.bloomguard.it.r2dbc;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** One PostgreSQL for all tests of a JVM, which stops it at its end. */
final class Postgres {

  static final EmbeddedPostgres SERVER = start();

  private Postgres() {}

  private static EmbeddedPostgres start() {
    try {
      return EmbeddedPostgres.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String url() {
    return "r2dbc:postgresql://postgres@127.0.0.1:" + SERVER.getPort() + "/postgres";
  }

  static void execute(String... statements) {
    try (Connection connection = SERVER.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}

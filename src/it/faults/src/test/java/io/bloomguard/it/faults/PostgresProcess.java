package io.bloomguard.it.faults;

import io.bloomguard.it.support.Processes;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** A PostgreSQL that can be ended and started again with its rows. */
final class PostgresProcess implements AutoCloseable {

  private final int port = Processes.freePort();
  private final Path data;
  private EmbeddedPostgres server;

  PostgresProcess(String... statements) throws Exception {
    data = Files.createTempDirectory("postgres");
    start();
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private void start() throws IOException {
    server =
        EmbeddedPostgres.builder()
            .setPort(port)
            .setDataDirectory(data)
            .setCleanDataDirectory(false)
            .setServerConfig("wal_level", "logical")
            .start();
  }

  void restart(long millisBetween) throws Exception {
    server.close();
    Thread.sleep(millisBetween);
    start();
  }

  String url() {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres&socketTimeout=5";
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url());
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}

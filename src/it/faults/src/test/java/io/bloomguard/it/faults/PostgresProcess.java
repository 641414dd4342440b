package io.bloomguard.it.faults;

import io.bloomguard.it.support.Processes;
import io.bloomguard.it.support.Wait;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * A PostgreSQL that can be ended and started again with its rows, and to which each shop comes
 * through a proxy.
 */
final class PostgresProcess implements AutoCloseable {

  private static final int END_SECONDS = 30;

  private final int port = Processes.freePort();
  private final Path data;
  private final List<FaultProxy> proxies = new ArrayList<>();
  private EmbeddedPostgres server;

  PostgresProcess(String... statements) throws Exception {
    data = Files.createTempDirectory(Processes.folder(), "postgres");
    start();
    execute(statements);
    for (int i = 0; i < World.SHOPS; i++) {
      proxies.add(new FaultProxy(port));
    }
  }

  private void start() throws IOException {
    server =
        EmbeddedPostgres.builder()
            .setPort(port)
            .setDataDirectory(data)
            .setCleanDataDirectory(false)
            .setServerConfig("wal_level", "logical")
            // What is acknowledged outlives kill -9.
            .setServerConfig("synchronous_commit", "on")
            .start();
  }

  /** As an operator does. No session may hold up its end. */
  void restart(long millisBetween) throws Exception {
    ProcessHandle main = main();
    server.close();
    Wait.upTo(END_SECONDS, "the end of the database", () -> !main.isAlive());
    Thread.sleep(millisBetween);
    start();
  }

  /** Kills all its processes, and starts it again. */
  void crash(long millisBetween) throws Exception {
    ProcessHandle main = main();
    List<ProcessHandle> all = new ArrayList<>(main.descendants().toList());
    // First, or it would end the others in an orderly way.
    main.destroyForcibly();
    all.forEach(ProcessHandle::destroyForcibly);
    all.add(main);
    Wait.upTo(
        END_SECONDS,
        "the death of the database",
        () -> all.stream().noneMatch(ProcessHandle::isAlive));
    server.close();
    Thread.sleep(millisBetween);
    start();
  }

  private ProcessHandle main() throws IOException {
    long id = Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip());
    return ProcessHandle.of(id).orElseThrow();
  }

  private static String address(int port) {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres&socketTimeout=5";
  }

  /** Where a shop finds it. */
  String url(int shop) {
    return address(proxy(shop).port());
  }

  FaultProxy proxy(int shop) {
    return proxies.get(shop);
  }

  List<FaultProxy> proxies() {
    return proxies;
  }

  /** Past the proxies. */
  Connection connect() throws SQLException {
    return DriverManager.getConnection(address(port));
  }

  void execute(String... statements) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** The first column of all rows. */
  List<String> texts(String query) throws SQLException {
    List<String> texts = new ArrayList<>();
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        texts.add(rows.getString(1));
      }
    }
    return texts;
  }

  @Override
  public void close() throws IOException {
    for (FaultProxy proxy : proxies) {
      proxy.close();
    }
    server.close();
  }
}

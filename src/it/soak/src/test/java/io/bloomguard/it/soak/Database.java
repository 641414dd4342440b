package io.bloomguard.it.soak;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;
import org.h2.tools.Server;

/** The rows, in this process' memory and served over TCP, with sources that can be made to hang. */
final class Database implements AutoCloseable {

  /** Ids 1 to this are there from the beginning. */
  static final long FIRST_ROWS = 5_000;

  private static final String NAME = "mem:soak;DB_CLOSE_DELAY=-1";

  private final Server server;
  private final Connection connection;

  Database() throws SQLException {
    server = Server.createTcpServer("-tcpPort", "0").start();
    connection = DriverManager.getConnection("jdbc:h2:" + NAME);
    try (Statement statement = connection.createStatement()) {
      statement.execute("drop all objects");
      statement.execute(
          "create table things (id bigint primary key, name varchar(40), changed timestamp(9)"
              + " default current_timestamp)");
      statement.execute("create index changes on things (changed)");
      statement.execute("create table notes (id bigint primary key, name varchar(40))");
      statement.execute("insert into notes select x, 'note ' || x from system_range(1, 1000)");
      for (Gate gate : Gate.values()) {
        String name = "passes_" + gate.name().toLowerCase(Locale.ROOT);
        statement.execute("create alias " + name + " for '" + gate.method() + "'");
      }
    }
    insert(LongStream.rangeClosed(1, FIRST_ROWS).boxed().toList());
  }

  /** Where other processes find it. */
  String url() {
    return "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/" + NAME;
  }

  synchronized void insert(List<Long> ids) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("insert into things (id, name) values (?, ?)")) {
      for (long id : ids) {
        insert.setLong(1, id);
        insert.setString(2, "thing " + id);
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
    server.stop();
  }
}

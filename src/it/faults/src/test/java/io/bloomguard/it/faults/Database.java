package io.bloomguard.it.faults;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.h2.tools.Server;

/** The truth: the rows, in this process' memory and served over TCP. */
final class Database implements AutoCloseable {

  /** Ids 1 to this are there from the beginning. */
  static final long FIRST_ROWS = 5_000;

  /** Of the table that other programs write to, likewise. */
  static final long FIRST_NEWS = 100;

  /** Of the rows that come and go, likewise; traffic leaves these alone. */
  static final long FIRST_CODES = 500;

  private static final String NAME = "mem:shop;DB_CLOSE_DELAY=-1";

  private final Server server;

  Database() throws SQLException {
    server = Server.createTcpServer("-tcpPort", "0").start();
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute("drop all objects");
      statement.execute("create table products (id bigint primary key, name varchar(40))");
      statement.execute("create alias load_product for '" + Loads.class.getName() + ".load'");
      statement.execute("create alias gate for '" + Gate.class.getName() + ".pass'");
      statement.execute("create table news (id bigint primary key, changed timestamp)");
      statement.execute(
          "insert into news select x, current_timestamp from system_range(1, " + FIRST_NEWS + ")");
      statement.execute("create table codes (id bigint primary key)");
      statement.execute("insert into codes select x from system_range(1, " + FIRST_CODES + ")");
      try (PreparedStatement insert =
          connection.prepareStatement("insert into products (id, name) values (?, ?)")) {
        for (long id = 1; id <= FIRST_ROWS; id++) {
          insert.setLong(1, id);
          insert.setString(2, "product " + id);
          insert.addBatch();
        }
        insert.executeBatch();
      }
    }
  }

  /** Where other processes find it. */
  String url() {
    return "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/" + NAME;
  }

  /** The ids of all rows of a table that are visible. */
  List<Long> ids(String table) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select id from " + table)) {
      List<Long> ids = new ArrayList<>();
      while (rows.next()) {
        ids.add(rows.getLong(1));
      }
      return ids;
    }
  }

  /** Inserts a row as another program does, which tells no filter. */
  void insertNews(long id) throws SQLException {
    try (Connection connection = connect();
        PreparedStatement insert =
            connection.prepareStatement(
                "insert into news (id, changed) values (?, current_timestamp)")) {
      insert.setLong(1, id);
      insert.executeUpdate();
    }
  }

  /** The same for a filter whose source is read by rebuilds alone. */
  void insertProduct(long id) throws SQLException {
    try (Connection connection = connect();
        PreparedStatement insert =
            connection.prepareStatement("insert into products (id, name) values (?, 'foreign')")) {
      insert.setLong(1, id);
      insert.executeUpdate();
    }
  }

  boolean has(long id) throws SQLException {
    try (Connection connection = connect();
        PreparedStatement select =
            connection.prepareStatement("select 1 from products where id = ?")) {
      select.setLong(1, id);
      try (ResultSet rows = select.executeQuery()) {
        return rows.next();
      }
    }
  }

  private static Connection connect() throws SQLException {
    return DriverManager.getConnection("jdbc:h2:" + NAME);
  }

  @Override
  public void close() {
    server.stop();
  }
}

package io.bloomguard.it.clicks;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The counted clicks in a database, each written with the work that wrote it. */
final class Table implements AutoCloseable {

  private final Connection connection;

  /** Of a file that outlives a process that is killed: each commit is written at once. */
  Table(String file) throws SQLException {
    connection = DriverManager.getConnection("jdbc:h2:file:" + file + ";WRITE_DELAY=0");
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      // Without a unique index: a click that is counted twice must be seen.
      statement.execute("create table if not exists clicks(id varchar)");
      statement.execute("create index if not exists clicks_id on clicks(id)");
      statement.execute("create table if not exists works(name varchar primary key)");
    }
    connection.commit();
  }

  synchronized boolean has(String id) throws SQLException {
    return found("select 1 from clicks where id = ?", id);
  }

  synchronized boolean hasWork(String name) throws SQLException {
    return found("select 1 from works where name = ?", name);
  }

  private boolean found(String query, String name) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      statement.setString(1, name);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next();
      }
    }
  }

  /** Counts clicks and notes the work, both or neither. */
  synchronized void count(List<String> ids, String work) throws SQLException {
    try (PreparedStatement click = connection.prepareStatement("insert into clicks values (?)");
        PreparedStatement done = connection.prepareStatement("insert into works values (?)")) {
      for (String id : ids) {
        click.setString(1, id);
        click.addBatch();
      }
      click.executeBatch();
      done.setString(1, work);
      done.execute();
      connection.commit();
    } finally {
      connection.rollback();
    }
  }

  long number(String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}

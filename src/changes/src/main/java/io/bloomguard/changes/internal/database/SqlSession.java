package io.bloomguard.changes.internal.database;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** A connection of a feed's own, and short statements on it. */
final class SqlSession implements AutoCloseable {

  private final Connection connection;

  /**
   * Connects, by a driver that the manager of drivers need not know.
   *
   * @param properties those of the driver, without the user
   */
  SqlSession(Driver driver, DatabaseAddress address, Properties properties) throws SQLException {
    Properties all = new Properties();
    all.putAll(properties);
    all.setProperty("user", address.user());
    all.setProperty("password", address.password());
    connection = Objects.requireNonNull(driver.connect(address.url(), all));
  }

  void run(String sql) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.execute();
    }
  }

  /** The first row; null for none. */
  @Nullable Row first(String sql, Object... arguments) throws SQLException {
    List<Row> rows = rows(sql, arguments);
    return rows.isEmpty() ? null : rows.get(0);
  }

  /** The first row of a query that has one. */
  Row one(String sql, Object... arguments) throws SQLException {
    return rows(sql, arguments).get(0);
  }

  /** The texts of the first column. */
  List<String> texts(String sql, Object... arguments) throws SQLException {
    return rows(sql, arguments).stream().map(row -> row.text(1)).toList();
  }

  /** All rows, of which there are few. */
  List<Row> rows(String sql, Object... arguments) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < arguments.length; i++) {
        statement.setObject(i + 1, arguments[i]);
      }
      List<Row> rows = new ArrayList<>();
      try (ResultSet results = statement.executeQuery()) {
        int columns = results.getMetaData().getColumnCount();
        while (results.next()) {
          String[] values = new String[columns];
          for (int i = 0; i < columns; i++) {
            String value = results.getString(i + 1);
            values[i] = value == null ? "" : value;
          }
          rows.add(new Row(values));
        }
      }
      return rows;
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }

  /** The values of a row; a missing one is empty. */
  static final class Row {

    private final String[] values;

    private Row(String[] values) {
      this.values = values;
    }

    String text(int column) {
      return values[column - 1];
    }

    long number(int column) {
      String value = text(column);
      return value.isEmpty() ? 0 : Long.parseLong(value);
    }

    boolean flag(int column) {
      return List.of("t", "true", "1").contains(text(column));
    }
  }
}

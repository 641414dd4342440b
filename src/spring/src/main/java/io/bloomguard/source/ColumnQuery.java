package io.bloomguard.source;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A key query whose first column is asked about.
 *
 * @param since the query's parameter, null for none
 * @param columns of the query
 */
record ColumnQuery(
    Connection connection, String query, @Nullable Timestamp since, ResultSetMetaData columns) {

  /** A look at a catalogue; longer than that is no look. */
  private static final int TIMEOUT_SECONDS = 10;

  String type() throws SQLException {
    return columns.getColumnTypeName(1).toUpperCase(Locale.ROOT);
  }

  boolean isChar() throws SQLException {
    int type = columns.getColumnType(1);
    return type == Types.CHAR || type == Types.NCHAR;
  }

  /** Whether the driver names no table that the column is of. */
  boolean isExpression() throws SQLException {
    String table = columns.getTableName(1);
    return table == null || table.isEmpty();
  }

  /**
   * The first column of the answer to a question about the key column.
   *
   * @param sql has {@code %s} where the column stands, as a subquery without rows
   */
  @Nullable String aboutColumn(String sql, char quote) throws SQLException {
    String label = columns.getColumnLabel(1).replace("" + quote, "" + quote + quote);
    String column = "(select " + quote + label + quote + " from (" + query + ") t limit 0)";
    try (PreparedStatement statement = connection.prepareStatement(sql.replace("%s", column))) {
      if (since != null) {
        statement.setTimestamp(1, since);
      }
      return first(statement);
    }
  }

  /** The first column of the answer to any question; null where there is no row. */
  @Nullable String ask(String sql) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      return first(statement);
    }
  }

  private static @Nullable String first(PreparedStatement statement) throws SQLException {
    statement.setQueryTimeout(TIMEOUT_SECONDS);
    try (ResultSet rows = statement.executeQuery()) {
      return rows.next() ? rows.getString(1) : null;
    } finally {
      // H2 keeps it for the connection, which goes back to the application's pool.
      statement.setQueryTimeout(0);
    }
  }
}

package io.bloomguard.source.internal;

import io.bloomguard.generation.KeySourceException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A column of a key query over JDBC.
 *
 * @param since the query's parameter, null for none
 * @param columns of the query
 * @param index from 1
 */
record JdbcColumn(
    Connection connection,
    String query,
    @Nullable Timestamp since,
    ResultSetMetaData columns,
    int index)
    implements AskedColumn {

  /** A look at a catalogue; longer than that is no look. */
  private static final int TIMEOUT_SECONDS = 10;

  /**
   * Classes whose values have more than one spelling, or none. By the class and not by the SQL
   * type: H2's type of a UUID is {@code BINARY}, PostgreSQL's of a boolean {@code BIT}.
   */
  private static final Pattern NO_KEYS =
      Pattern.compile("java\\.lang\\.(Boolean|Float|Double)|java\\.(sql|time)\\..*|\\[B|byte\\[]");

  /**
   * Accepts a column whose values can be keys.
   *
   * @throws KeySourceException if none of them can, with the column and its type
   */
  void requireKeys() throws SQLException {
    if (NO_KEYS.matcher(String.valueOf(columns.getColumnClassName(index))).matches()) {
      throw new KeySourceException(
          "The key query ["
              + query
              + "] selects the column '"
              + columns.getColumnLabel(index)
              + "' of type "
              + columns.getColumnTypeName(index)
              + ", but a key is text, an integral number or a UUID: select another column, or"
              + " convert this one in the query",
          null);
    }
  }

  @Override
  public String product() throws SQLException {
    return connection.getMetaData().getDatabaseProductName();
  }

  @Override
  public String type() throws SQLException {
    String type = columns.getColumnTypeName(index);
    return type == null ? "" : type.toLowerCase(Locale.ROOT);
  }

  /** PostgreSQL's driver has no type of JDBC for citext. */
  @Override
  public boolean isText() throws SQLException {
    return switch (columns.getColumnType(index)) {
      case Types.CHAR, Types.VARCHAR, Types.LONGVARCHAR, Types.CLOB -> true;
      case Types.NCHAR, Types.NVARCHAR, Types.LONGNVARCHAR, Types.NCLOB -> true;
      default -> type().equals("citext");
    };
  }

  @Override
  public boolean isChar() throws SQLException {
    int type = columns.getColumnType(index);
    return type == Types.CHAR || type == Types.NCHAR;
  }

  @Override
  public boolean isExpression() throws SQLException {
    String table = columns.getTableName(index);
    return table == null || table.isEmpty();
  }

  @Override
  public boolean isCaseSensitive() throws SQLException {
    return columns.isCaseSensitive(index);
  }

  @Override
  public @Nullable String ask(String sql) throws SQLException {
    return ask(sql, null);
  }

  @Override
  public @Nullable String askAbout(String sql) throws SQLException {
    String label = columns.getColumnLabel(index).replace("`", "``");
    return ask(
        sql.replace(
            "%s",
            product().equals(JdbcKeySource.POSTGRES)
                ? AskedColumn.subquery(query, index)
                : "(select `" + label + "` from (" + query + ") t limit 0)"),
        since);
  }

  private @Nullable String ask(String sql, @Nullable Timestamp parameter) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      if (parameter != null) {
        statement.setTimestamp(1, parameter);
      }
      statement.setQueryTimeout(TIMEOUT_SECONDS);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? rows.getString(1) : null;
      } finally {
        // H2 keeps it for the connection, which goes back to the application's pool.
        statement.setQueryTimeout(0);
      }
    }
  }
}

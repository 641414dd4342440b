package io.bloomguard.source;

import io.bloomguard.filter.KeyFolding;
import java.sql.Connection;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/**
 * The comparison that the first column of a key query must have: that of the filter's keys.
 *
 * @param property the filter's properties, such as {@code bloomguard.filters.users}, for messages
 * @param source the kind of the filter's source, {@code jdbc} or {@code r2dbc}, for messages
 * @param folding which keys the filter holds equal
 * @param trusted whether the owner says that the column holds no others equal
 */
public record ComparedColumn(String property, String source, KeyFolding folding, boolean trusted) {

  private static final String EXPRESSION =
      "is an expression, which need not compare as the column does that rows are looked up by";

  /**
   * Looks at the first column of a query before it is run. Only text has more than one way to be
   * compared; numbers, UUIDs and the like need nothing.
   *
   * @param since the query's parameter, null for none
   * @throws io.bloomguard.generation.KeySourceException if the column holds keys equal that the
   *     filter tells apart
   */
  void require(
      Connection connection,
      String query,
      @Nullable Timestamp since,
      @Nullable ResultSetMetaData columns)
      throws SQLException {
    if (columns == null || columns.getColumnCount() == 0) {
      ColumnEquality.doubtful("not described by the driver", "is unknown").require(this);
    } else if (isText(columns)) {
      equality(connection, query, since, columns).require(this);
    }
  }

  static boolean isText(ResultSetMetaData columns) throws SQLException {
    return switch (columns.getColumnType(1)) {
      case Types.CHAR,
          Types.VARCHAR,
          Types.LONGVARCHAR,
          Types.NCHAR,
          Types.NVARCHAR,
          Types.LONGNVARCHAR,
          Types.CLOB,
          Types.NCLOB ->
          true;
      default -> PostgresColumns.isText(columns.getColumnTypeName(1));
    };
  }

  private static ColumnEquality equality(
      Connection connection, String query, @Nullable Timestamp since, ResultSetMetaData columns)
      throws SQLException {
    ColumnQuery asked = new ColumnQuery(connection, query, since, columns);
    try {
      return switch (connection.getMetaData().getDatabaseProductName()) {
        case "MariaDB", "MySQL" -> MySqlColumns.equality(asked);
        case "PostgreSQL" -> PostgresColumns.equality(asked);
        case "H2" -> H2Columns.equality(asked);
        default -> other(asked);
      };
    } catch (SQLException e) {
      // PostgreSQL takes no further statement in this transaction, of which nothing is needed yet.
      connection.rollback();
      return ColumnEquality.doubtful(
          "SQL state " + e.getSQLState() + " when its collation was asked for",
          "has an unknown collation");
    }
  }

  private static ColumnEquality other(ColumnQuery asked) throws SQLException {
    return new ColumnEquality(
        "type " + asked.columns().getColumnTypeName(1),
        !asked.columns().isCaseSensitive(1),
        asked.isChar(),
        "has a collation that cannot be asked for");
  }

  /** This column, of which it is not known how rows are looked up by it. */
  static ColumnEquality expression(ColumnEquality of) {
    return of.doubt() != null
        ? of
        : new ColumnEquality(of.name(), of.ignoresCase(), of.ignoresSpaces(), EXPRESSION);
  }
}

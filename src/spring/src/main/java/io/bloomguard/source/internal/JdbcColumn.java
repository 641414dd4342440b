package io.bloomguard.source.internal;

import io.bloomguard.generation.KeySourceException;
import io.bloomguard.source.internal.ColumnEquality.Question;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A column of a key query, as a driver describes it.
 *
 * @param columns of the query
 * @param index from 1
 */
record JdbcColumn(ResultSetMetaData columns, int index) {

  /**
   * Classes whose values have more than one spelling, or none. By the class and not by the SQL
   * type: H2's type of a UUID is {@code BINARY}, PostgreSQL's of a boolean {@code BIT}.
   */
  private static final Pattern NO_KEYS =
      Pattern.compile("java\\.lang\\.(Boolean|Float|Double)|java\\.(sql|time)\\..*|\\[B|byte\\[]");

  /** Decimal digits that always fit a long. */
  private static final int LONG_DIGITS = 18;

  /**
   * Accepts a column whose values can be keys.
   *
   * @throws KeySourceException if none of them can, with the column and its type
   */
  void requireKeys(KeyQuery query) throws SQLException {
    if (NO_KEYS.matcher(String.valueOf(columns.getColumnClassName(index))).matches()) {
      throw new KeySourceException(
          "The key query ["
              + query.sql()
              + "] selects the column '"
              + columns.getColumnLabel(index)
              + "' of type "
              + columns.getColumnTypeName(index)
              + ", but a key is text, an integral number or a UUID: select another column, or"
              + " convert this one in the query",
          null);
    }
  }

  /** The database's name of its type, in lower case. */
  String type() throws SQLException {
    String type = columns.getColumnTypeName(index);
    return type == null ? "" : type.toLowerCase(Locale.ROOT);
  }

  /**
   * Whether its values are text, which alone has more than one way to be compared. PostgreSQL's
   * driver has no type of JDBC for citext.
   */
  boolean isText() throws SQLException {
    return switch (columns.getColumnType(index)) {
      case Types.CHAR, Types.VARCHAR, Types.LONGVARCHAR, Types.CLOB -> true;
      case Types.NCHAR, Types.NVARCHAR, Types.LONGNVARCHAR, Types.NCLOB -> true;
      default -> type().contains("citext");
    };
  }

  boolean fitsLong() throws SQLException {
    return switch (columns.getColumnType(index)) {
      case Types.TINYINT, Types.SMALLINT, Types.INTEGER -> true;
      case Types.BIGINT -> columns.isSigned(index);
      case Types.NUMERIC, Types.DECIMAL ->
          columns.getScale(index) == 0
              && columns.getPrecision(index) > 0
              && columns.getPrecision(index) <= LONG_DIGITS;
      default -> false;
    };
  }

  /**
   * The texts that it holds equal. PostgreSQL is asked by the query, MariaDB and MySQL by a
   * subquery, which has its column's collation.
   *
   * @param question asks the database
   */
  ColumnEquality equality(String product, KeyQuery query, Question question) throws SQLException {
    int type = columns.getColumnType(index);
    boolean isChar = type == Types.CHAR || type == Types.NCHAR;
    String table = columns.getTableName(index);
    boolean expression = table == null || table.isEmpty();
    return switch (product) {
      case "MariaDB", "MySQL" -> {
        String label = columns.getColumnLabel(index).replace("`", "``");
        String collation =
            question.answer(
                "select collation((select `%s` from (%s\n) t limit 0))"
                    .formatted(label, query.sql()));
        yield ColumnEquality.ofMySql(String.valueOf(collation), isChar).ofExpression(expression);
      }
      case KeyQuery.POSTGRES ->
          ColumnEquality.ofPostgres(query.sql(), index, question).ofExpression(expression);
      case "H2" -> ColumnEquality.ofH2(type(), isChar, expression, question);
      default ->
          new ColumnEquality(
              "type " + type(),
              !columns.isCaseSensitive(index),
              isChar,
              "has a collation that cannot be asked for");
    };
  }
}

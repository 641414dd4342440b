package io.bloomguard.source;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * How columns of H2 compare: by their characters, unless the type is {@code VARCHAR_IGNORECASE}
 * (which the setting {@code IGNORECASE} makes of {@code VARCHAR}) or {@code CHAR}, or the database
 * has a collation.
 */
final class H2Columns {

  private static final String COLLATION =
      "select setting_value from information_schema.settings where setting_name = 'COLLATION'";

  private static final String IGNORING =
      "select count(*) from information_schema.columns where data_type = 'VARCHAR_IGNORECASE'";

  private H2Columns() {}

  static ColumnEquality equality(ColumnQuery asked) throws SQLException {
    String type = asked.type();
    boolean ignoresCase = type.equals("VARCHAR_IGNORECASE");
    boolean ignoresSpaces = asked.isChar() && !type.startsWith("ENUM");
    ColumnEquality equality =
        new ColumnEquality("type " + type, ignoresCase, ignoresSpaces, doubt(asked));
    // An expression compares like a column only where all columns compare alike.
    boolean other = asked.isExpression() && !"0".equals(asked.ask(IGNORING));
    return other ? ComparedColumn.expression(equality) : equality;
  }

  private static @Nullable String doubt(ColumnQuery asked) throws SQLException {
    String collation = asked.ask(COLLATION);
    return collation == null || collation.equals("OFF") ? null : "has the collation " + collation;
  }
}

package io.bloomguard.source;

import java.sql.SQLException;
import java.util.Locale;
import java.util.Set;

/** How columns of MariaDB and MySQL compare, by their collation. */
final class MySqlColumns {

  /** They hold nothing equal but the two cases of a letter, as a test over all letters found. */
  private static final Set<String> CASES_ALONE = Set.of("ascii_general", "latin1_general");

  private MySqlColumns() {}

  static ColumnEquality equality(ColumnQuery asked) throws SQLException {
    // A subquery has its column's collation; every expression has one too.
    String found = asked.aboutColumn("select collation(%s)", '`');
    String collation = found == null ? "" : found.toLowerCase(Locale.ROOT);
    ColumnEquality equality = equality(collation, asked.isChar());
    return asked.isExpression() ? ComparedColumn.expression(equality) : equality;
  }

  /** Collations pad with spaces unless their name says that they do not; MySQL 8's newer do not. */
  static ColumnEquality equality(String collation, boolean isChar) {
    String name = "collation " + collation;
    boolean pads = !collation.matches("binary|.*nopad.*|.*_0900_.*");
    boolean ignoresSpaces = pads || isChar;
    if (collation.equals("binary")
        || collation.endsWith("_bin")
        || collation.equals("latin1_general_cs")) {
      return new ColumnEquality(name, false, ignoresSpaces, null);
    }
    boolean ignoresCase = !collation.endsWith("_cs");
    String letters = collation.replaceFirst("(_nopad)?_ci$", "");
    String doubt =
        ignoresCase && CASES_ALONE.contains(letters)
            ? null
            : "may hold letters with and without an accent, or with ignorable characters, equal";
    return new ColumnEquality(name, ignoresCase, ignoresSpaces, doubt);
  }
}

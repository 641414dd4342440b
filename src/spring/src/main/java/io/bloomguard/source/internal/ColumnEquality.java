package io.bloomguard.source.internal;

import java.sql.SQLException;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The different texts that a column holds equal, as far as its database shows them.
 *
 * @param name the comparison, such as {@code collation ascii_general_ci}
 * @param ignoresCase whether it may hold texts equal that differ in the case of letters
 * @param ignoresSpaces whether it may hold texts equal that differ in spaces at the end
 * @param doubt why it may hold other texts equal that no folding of keys does, null where it does
 *     not
 */
record ColumnEquality(
    String name, boolean ignoresCase, boolean ignoresSpaces, @Nullable String doubt) {

  static final String UNKNOWN = "has an unknown collation";

  private static final String EXPRESSION =
      "is an expression, which need not compare as the column does that rows are looked up by";

  /** They hold nothing equal but the two cases of a letter, as a test over all letters found. */
  private static final Set<String> CASES_ALONE = Set.of("ascii_general", "latin1_general");

  /** Before version 15, which has the column, libc was the only provider. */
  private static final String PROVIDER =
      "select coalesce(to_jsonb(d) ->> 'datlocprovider', 'c') from pg_catalog.pg_database d"
          + " where datname = current_database()";

  private static final String TYPE =
      "select typcategory::text || ' ' || typname from pg_catalog.pg_type where oid ="
          + " pg_typeof(%s)";

  private static final Set<String> STRINGS = Set.of("S text", "S varchar", "S bpchar", "S name");

  private static final String IGNORES_CASE = "select (coalesce(%s, 'a') = 'A')::text";

  /** Empty for one that is deterministic. */
  private static final String COLLATION =
      "select case when collisdeterministic then '' else collname end from pg_catalog.pg_collation"
          + " where oid = (collation for (%s))::regcollation";

  /** A database that is asked before a row is read. */
  interface Question {

    /** The first column of the answer; null where there is no row. */
    @Nullable String answer(String sql) throws SQLException;
  }

  /** Nothing is known but what is said here. */
  static ColumnEquality doubtful(String name, String doubt) {
    return new ColumnEquality(name, false, false, doubt);
  }

  /** If it is an expression, it is not known how rows are looked up by it. */
  ColumnEquality ofExpression(boolean expression) {
    return doubt == null && expression
        ? new ColumnEquality(name, ignoresCase, ignoresSpaces, EXPRESSION)
        : this;
  }

  /** Collations pad with spaces unless their name says that they do not; MySQL 8's newer do not. */
  static ColumnEquality ofMySql(String named, boolean isChar) {
    String collation = named.toLowerCase(Locale.ROOT);
    boolean ignoresSpaces = isChar || !collation.matches("binary|.*nopad.*|.*_0900_.*");
    boolean exact = collation.matches("binary|.*_bin|latin1_general_cs");
    boolean ignoresCase = !exact && !collation.endsWith("_cs");
    String letters = collation.replaceFirst("(_nopad)?_ci$", "");
    return new ColumnEquality(
        "collation " + collation,
        ignoresCase,
        ignoresSpaces,
        exact || ignoresCase && CASES_ALONE.contains(letters)
            ? null
            : "may hold letters with and without an accent, or with ignorable characters, equal");
  }

  /**
   * Columns of PostgreSQL compare byte by byte, unless the type is {@code citext} or {@code
   * char(n)} or the collation is not deterministic.
   *
   * @param index from 1
   */
  static ColumnEquality ofPostgres(String query, int index, Question question) throws SQLException {
    String names =
        IntStream.rangeClosed(1, index).mapToObj(i -> "c" + i).collect(Collectors.joining(", "));
    // Beside another argument a domain is the type of which it is made.
    String column =
        "coalesce((select c" + index + " from (" + query + "\n) t(" + names + ") limit 0), null)";
    String type = String.valueOf(question.answer(TYPE.formatted(column)));
    String name = "type " + type.replaceFirst("^. ", "");
    if (type.equals("S citext")) {
      // It compares what lower() makes of its texts in the database's own collation.
      boolean simple = Set.of("c", "b").contains(String.valueOf(question.answer(PROVIDER)));
      String doubt = simple ? null : "compares by ICU, which makes two characters of some";
      return new ColumnEquality(name, true, false, doubt);
    }
    if (!STRINGS.contains(type)) {
      // What is no string is no text, or has, as an enum, one way to be compared.
      return new ColumnEquality(name, false, false, type.matches("[^S] .*") ? null : UNKNOWN);
    }
    boolean pads = type.equals("S bpchar");
    String collation = question.answer(COLLATION.formatted(column));
    if ("".equals(collation)) {
      return new ColumnEquality(name, false, pads, null);
    }
    boolean ignoresCase = "true".equals(question.answer(IGNORES_CASE.formatted(column)));
    return new ColumnEquality(
        name + ", collation " + collation,
        ignoresCase,
        pads,
        "has a collation that is not deterministic");
  }

  /**
   * Columns of H2 compare by their characters, unless the type is {@code VARCHAR_IGNORECASE} (which
   * the setting {@code IGNORECASE} makes of {@code VARCHAR}) or {@code CHAR}, or the database has a
   * collation. An expression compares like a column only where all columns compare alike.
   */
  static ColumnEquality ofH2(String type, boolean isChar, boolean expression, Question question)
      throws SQLException {
    String collation =
        question.answer(
            "select setting_value from information_schema.settings where setting_name ="
                + " 'COLLATION' and setting_value <> 'OFF'");
    String ignoring =
        question.answer(
            "select count(*) from information_schema.columns where data_type ="
                + " 'VARCHAR_IGNORECASE'");
    return new ColumnEquality(
            "type " + type,
            type.equals("varchar_ignorecase"),
            isChar && !type.startsWith("enum"),
            collation == null ? null : "has the collation " + collation)
        .ofExpression(expression && !"0".equals(ignoring));
  }
}

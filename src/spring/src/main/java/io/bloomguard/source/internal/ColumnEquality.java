package io.bloomguard.source.internal;

import java.sql.SQLException;
import java.util.Locale;
import java.util.Set;
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

  private static final String EXPRESSION =
      "is an expression, which need not compare as the column does that rows are looked up by";

  private static final String UNKNOWN = "has an unknown collation";

  /** They hold nothing equal but the two cases of a letter, as a test over all letters found. */
  private static final Set<String> CASES_ALONE = Set.of("ascii_general", "latin1_general");

  /** Before version 15, which has the column, libc was the only provider. */
  private static final String PROVIDER =
      "select coalesce(to_jsonb(d) ->> 'datlocprovider', 'c') from pg_catalog.pg_database d"
          + " where datname = current_database()";

  /** Nothing is known but what is said here. */
  static ColumnEquality doubtful(String name, String doubt) {
    return new ColumnEquality(name, false, false, doubt);
  }

  /** Asks the database. */
  static ColumnEquality of(AskedColumn column) throws SQLException {
    return switch (column.product()) {
      case "MariaDB", "MySQL" -> ofMySql(column).ofExpression(column.isExpression());
      case JdbcKeySource.POSTGRES -> ofPostgres(column).ofExpression(column.isExpression());
      case "H2" -> ofH2(column);
      default ->
          new ColumnEquality(
              "type " + column.type(),
              !column.isCaseSensitive(),
              column.isChar(),
              "has a collation that cannot be asked for");
    };
  }

  /** If it is an expression, it is not known how rows are looked up by it. */
  private ColumnEquality ofExpression(boolean expression) {
    return doubt == null && expression
        ? new ColumnEquality(name, ignoresCase, ignoresSpaces, EXPRESSION)
        : this;
  }

  /** A subquery has its column's collation; every expression has one too. */
  private static ColumnEquality ofMySql(AskedColumn column) throws SQLException {
    String found = column.askAbout("select collation(%s)");
    return ofMySql(found == null ? "" : found.toLowerCase(Locale.ROOT), column.isChar());
  }

  /** Collations pad with spaces unless their name says that they do not; MySQL 8's newer do not. */
  static ColumnEquality ofMySql(String collation, boolean isChar) {
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
   */
  private static ColumnEquality ofPostgres(AskedColumn column) throws SQLException {
    String type = column.type();
    return switch (type) {
      case "citext" -> {
        // It compares what lower() makes of its texts in the database's own collation.
        String provider = column.ask(PROVIDER);
        boolean simple = "c".equals(provider) || "b".equals(provider);
        yield new ColumnEquality(
            "type citext",
            true,
            false,
            simple ? null : "compares by ICU, which makes two characters of some");
      }
      case "text", "varchar", "bpchar", "name" -> ofCollation(column, type);
      default ->
          "e"
                  .equals(
                      column.askAbout(
                          "select typtype from pg_catalog.pg_type where oid = pg_typeof(%s)"))
              ? new ColumnEquality("enum " + type, false, false, null)
              : doubtful("type " + type, UNKNOWN);
    };
  }

  private static ColumnEquality ofCollation(AskedColumn column, String type) throws SQLException {
    boolean pads = type.equals("bpchar");
    String deterministic =
        column.askAbout(
            "select collisdeterministic::text from pg_catalog.pg_collation"
                + " where oid = (collation for (%s))::regcollation");
    if ("true".equals(deterministic)) {
      return new ColumnEquality("type " + type, false, pads, null);
    }
    // The database's own quoting of its name.
    String collation = column.askAbout("select collation for (%s)");
    String ignores = column.ask("select ('a'::text collate " + collation + " = 'A')::text");
    return new ColumnEquality(
        "type " + type + ", collation " + collation,
        "true".equals(ignores),
        pads,
        "has a collation that is not deterministic");
  }

  /**
   * Columns of H2 compare by their characters, unless the type is {@code VARCHAR_IGNORECASE} (which
   * the setting {@code IGNORECASE} makes of {@code VARCHAR}) or {@code CHAR}, or the database has a
   * collation. An expression compares like a column only where all columns compare alike.
   */
  private static ColumnEquality ofH2(AskedColumn column) throws SQLException {
    String type = column.type();
    String collation =
        column.ask(
            "select setting_value from information_schema.settings where setting_name ="
                + " 'COLLATION'");
    boolean collated = collation != null && !collation.equals("OFF");
    return new ColumnEquality(
            "type " + type,
            type.equals("varchar_ignorecase"),
            column.isChar() && !type.startsWith("enum"),
            collated ? "has the collation " + collation : null)
        .ofExpression(
            column.isExpression()
                && !"0"
                    .equals(
                        column.ask(
                            "select count(*) from information_schema.columns where data_type ="
                                + " 'VARCHAR_IGNORECASE'")));
  }
}

package io.bloomguard.source;

import java.sql.SQLException;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How columns of PostgreSQL compare: byte by byte, unless the type is {@code citext} or {@code
 * char(n)} or the collation is not deterministic.
 */
final class PostgresColumns {

  private static final String DETERMINISTIC =
      "select collisdeterministic from pg_catalog.pg_collation"
          + " where oid = (collation for (%s))::regcollation";

  private static final String KIND =
      "select typtype from pg_catalog.pg_type where oid = pg_typeof(%s)";

  /** Before version 15, which has the column, libc was the only provider. */
  private static final String PROVIDER =
      "select coalesce(to_jsonb(d) ->> 'datlocprovider', 'c') from pg_catalog.pg_database d"
          + " where datname = current_database()";

  private PostgresColumns() {}

  /** The driver has no type of JDBC for citext. */
  static boolean isText(@Nullable String type) {
    return type != null && type.toLowerCase(Locale.ROOT).equals("citext");
  }

  static ColumnEquality equality(ColumnQuery asked) throws SQLException {
    ColumnEquality equality = ofType(asked, asked.type().toLowerCase(Locale.ROOT));
    return asked.isExpression() ? ComparedColumn.expression(equality) : equality;
  }

  private static ColumnEquality ofType(ColumnQuery asked, String type) throws SQLException {
    return switch (type) {
      case "citext" -> citext(Objects.requireNonNullElse(asked.ask(PROVIDER), ""));
      case "text", "varchar", "bpchar", "name" -> collated(asked, type);
      default -> {
        String kind = asked.aboutColumn(KIND, '"');
        yield "e".equals(kind)
            ? ColumnEquality.exact("enum " + type)
            : ColumnEquality.doubtful("type " + type, "has an unknown collation");
      }
    };
  }

  /** It compares what lower() makes of its texts in the database's own collation. */
  private static ColumnEquality citext(String provider) {
    boolean simple = provider.equals("c") || provider.equals("b");
    return new ColumnEquality(
        "type citext",
        true,
        false,
        simple ? null : "compares by ICU, which makes two characters of some");
  }

  private static ColumnEquality collated(ColumnQuery asked, String type) throws SQLException {
    String name = "type " + type;
    boolean pads = type.equals("bpchar");
    if ("t".equals(asked.aboutColumn(DETERMINISTIC, '"'))) {
      return new ColumnEquality(name, false, pads, null);
    }
    // The database's own quoting of its name.
    String collation = asked.aboutColumn("select collation for (%s)", '"');
    boolean ignoresCase = "t".equals(asked.ask("select 'a'::text collate " + collation + " = 'A'"));
    return new ColumnEquality(
        name + ", collation " + collation,
        ignoresCase,
        pads,
        "has a collation that is not deterministic");
  }
}

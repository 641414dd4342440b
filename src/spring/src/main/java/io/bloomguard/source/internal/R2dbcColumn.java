package io.bloomguard.source.internal;

import io.r2dbc.spi.Connection;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * A column of a key query over R2DBC, as PostgreSQL describes it: a driver itself does so by rows
 * alone. Its questions wait for their answers.
 *
 * @param index from 1
 */
record R2dbcColumn(Connection connection, String query, int index) implements AskedColumn {

  private static final Set<String> TEXTS = Set.of("text", "varchar", "bpchar", "name", "citext");

  @Override
  public String product() {
    return connection.getMetadata().getDatabaseProductName();
  }

  @Override
  public String type() {
    String type = Objects.requireNonNullElse(askAbout("select pg_typeof(%s)::text"), "");
    return switch (type) {
      case "character varying" -> "varchar";
      case "character" -> "bpchar";
      default -> type;
    };
  }

  @Override
  public boolean isText() {
    return TEXTS.contains(type());
  }

  @Override
  public boolean isChar() {
    return type().equals("bpchar");
  }

  /** Not shown. */
  @Override
  public boolean isExpression() {
    return false;
  }

  @Override
  public boolean isCaseSensitive() {
    return true;
  }

  @Override
  public @Nullable String ask(String sql) {
    return Flux.from(connection.createStatement(sql).execute())
        .concatMap(result -> result.map((row, columns) -> String.valueOf(row.get(0))))
        .next()
        .block();
  }

  @Override
  public @Nullable String askAbout(String sql) {
    return ask(sql.replace("%s", AskedColumn.subquery(query, index)));
  }
}

package io.bloomguard.source;

import io.r2dbc.spi.Connection;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The comparison of a key query's first column, as R2DBC shows it: PostgreSQL is asked; of the text
 * columns of other databases nothing is known, because a driver describes a column by its rows
 * alone.
 */
final class R2dbcColumn {

  private static final String TYPE = "select pg_typeof((select k from (%s) t(k) limit 0))::text";

  private static final String DETERMINISTIC =
      "select collisdeterministic::text from pg_catalog.pg_collation"
          + " where oid = (collation for ((select k from (%s) t(k) limit 0)))::regcollation";

  private static final Set<String> TEXTS = Set.of("text", "character varying", "character", "name");

  private final Connection connection;
  private final String query;
  private final @Nullable ComparedColumn column;
  private final boolean asks;

  /** Those of the columns, as an alias has them. */
  private final String names;

  /**
   * @param parts whether the key begins in the second column, behind its scope
   */
  R2dbcColumn(Connection connection, String query, @Nullable ComparedColumn column, boolean parts) {
    this.names = parts ? "(s, k)" : "(k)";
    this.connection = connection;
    this.query = query;
    this.column = column;
    this.asks = connection.getMetadata().getDatabaseProductName().equals("PostgreSQL");
  }

  /**
   * Accepts a column that holds no texts equal which the filter distinguishes, before a row is
   * read; fails with a {@link io.bloomguard.generation.KeySourceException} otherwise. Other
   * databases than PostgreSQL are not asked.
   */
  Mono<Void> require() {
    ComparedColumn compared = column;
    if (compared == null || !asks) {
      return Mono.empty();
    }
    return ask(asked(TYPE))
        .flatMap(this::equality)
        .doOnNext(equality -> equality.require(compared))
        .then();
  }

  /** Accepts a key of a database that was not asked. */
  void require(@Nullable Object key) {
    if (column != null && !asks && key instanceof CharSequence) {
      ColumnEquality.doubtful("text over R2DBC", "has a collation that R2DBC does not show")
          .require(column);
    }
  }

  private Mono<ColumnEquality> equality(String type) {
    String name = "type " + type;
    if (type.equals("citext")) {
      return Mono.just(
          new ColumnEquality(name, true, false, "may compare by ICU, which R2DBC does not show"));
    }
    if (!TEXTS.contains(type)) {
      return Mono.empty();
    }
    boolean pads = type.equals("character");
    return ask(asked(DETERMINISTIC))
        .map(
            deterministic ->
                new ColumnEquality(
                    name,
                    false,
                    pads,
                    deterministic.equals("true")
                        ? null
                        : "has a collation that is not deterministic"))
        .defaultIfEmpty(ColumnEquality.doubtful(name, "has an unknown collation"));
  }

  private String asked(String question) {
    return question.replace("t(k)", "t" + names).formatted(query);
  }

  private Mono<String> ask(String sql) {
    return Flux.from(connection.createStatement(sql).execute())
        .concatMap(result -> result.map((row, columns) -> String.valueOf(row.get(0, String.class))))
        .next();
  }
}

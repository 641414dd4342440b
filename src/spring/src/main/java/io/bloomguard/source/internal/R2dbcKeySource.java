package io.bloomguard.source.internal;

import io.bloomguard.generation.KeySource;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.R2dbcException;
import io.r2dbc.spi.Result;
import io.r2dbc.spi.Row;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * The first column of the rows of a query over R2DBC, or all columns as the parts of a key. Needs
 * r2dbc-spi and Reactor.
 *
 * <p>The rows are streamed in one transaction, so memory does not grow with their number and the
 * keys are those of one moment, as far as the transaction's isolation goes. The reading thread
 * waits for them.
 *
 * @see <a href="https://r2dbc.io/spec/1.0.0.RELEASE/spec/html/">R2DBC 1.0</a>
 */
public final class R2dbcKeySource implements KeySource {

  /** The rows that a driver is asked for at a time. */
  public static final int FETCH_SIZE = 10_000;

  private static final String IDENTITY =
      "select concat(current_database(), '/', current_schema(), '/', (" + KeyQuery.SYSTEM + "))";

  /** One row, whatever the query yields. */
  private static final String WIDTH =
      "select t.* from (select 1) one left join (select * from (%s\n) q limit 0) t on true";

  private final ConnectionFactory connections;
  private final KeyQuery query;
  private final @Nullable ComparedColumn column;

  /**
   * The keys that {@code query} selects.
   *
   * @param connections the database, of whose connections a reading takes one
   * @param query an SQL query without parameters; its first column is the key
   * @param fetchSize the rows that the driver is asked for at a time, at least 1
   * @param column the comparison that the column must have; null for no look at it, and keys of one
   *     column
   * @throws IllegalArgumentException if the query is blank or the fetch size below 1
   */
  public R2dbcKeySource(
      ConnectionFactory connections, String query, int fetchSize, @Nullable ComparedColumn column) {
    this.query = new KeyQuery(query, fetchSize, column);
    this.connections = connections;
    this.column = column;
  }

  @Override
  public void forEach(KeySink sink) {
    Sinks.Empty<Object> cancelled = Sinks.empty();
    sink.onCancel(
        () ->
            cancelled.tryEmitError(
                new CancellationException("The reading of the key query was cancelled")));
    try (Stream<Optional<Object>> keys =
        Flux.usingWhen(connections.create(), this::keys, Connection::close)
            .takeUntilOther(cancelled.asMono())
            .toStream(query.fetchSize())) {
      long beyondTrust = 0;
      for (Iterator<Optional<Object>> each = keys.iterator(); each.hasNext(); ) {
        Object key = each.next().orElse(null);
        beyondTrust += ComparedColumn.beyondTrust(column, key);
        sink.accept(key);
      }
      if (column != null) {
        column.warnOf(beyondTrust);
      }
    } catch (R2dbcException e) {
      throw query.failed(e.getSqlState(), e);
    } finally {
      sink.onCancel(null);
    }
  }

  private Flux<Optional<Object>> keys(Connection connection) {
    boolean asks = isPostgres(connection);
    return Mono.from(connection.beginTransaction())
        .then(asks ? accepted(connection) : Mono.empty())
        .thenMany(
            Flux.defer(
                () ->
                    connection.createStatement(query.sql()).fetchSize(query.fetchSize()).execute()))
        .concatMap(result -> result.map((row, columns) -> Optional.ofNullable(key(row))))
        .doOnNext(key -> requireUnasked(asks, key.orElse(null)))
        // The transaction ends with the connection: a pool may take it back as it is.
        .concatWith(ended(connection.rollbackTransaction()));
  }

  private @Nullable Object key(Row row) {
    return KeyQuery.key(query.width(width(row)), row::get);
  }

  private static int width(Row row) {
    return row.getMetadata().getColumnMetadatas().size();
  }

  private static boolean isPostgres(Connection connection) {
    return KeyQuery.POSTGRES.equals(connection.getMetadata().getDatabaseProductName());
  }

  /** Has all rows read, and looks at the columns before, on a thread that may wait. */
  private Mono<Void> accepted(Connection connection) {
    return Mono.<Void>fromCallable(
            () -> {
              Flux.from(connection.createStatement(KeyQuery.ALL_ROWS).execute())
                  .flatMap(Result::getRowsUpdated)
                  .blockLast();
              if (column != null) {
                Integer columns =
                    ask(connection, WIDTH.formatted(query.sql()), R2dbcKeySource::width).block();
                for (int i = 1; i <= query.width(Objects.requireNonNull(columns)); i++) {
                  column.require(
                      ColumnEquality.ofPostgres(
                          query.sql(), i, sql -> ask(connection, sql).block()));
                }
              }
              return null;
            })
        .subscribeOn(Schedulers.boundedElastic());
  }

  /** The first row of an answer. */
  private static <T> Mono<T> ask(Connection connection, String sql, Function<Row, T> answer) {
    return Flux.from(connection.createStatement(sql).execute())
        .concatMap(result -> result.map((row, columns) -> answer.apply(row)))
        .next();
  }

  private static Mono<String> ask(Connection connection, String sql) {
    return ask(connection, sql, row -> String.valueOf(row.get(0)));
  }

  /** Accepts a key of a database that is not asked. */
  private void requireUnasked(boolean asked, @Nullable Object key) {
    List<?> values = key instanceof List<?> parts ? parts : Collections.singletonList(key);
    if (column != null && !asked && values.stream().anyMatch(CharSequence.class::isInstance)) {
      column.require(
          ColumnEquality.doubtful("text over R2DBC", "has a collation that R2DBC does not show"));
    }
  }

  /** In PostgreSQL alone, as over JDBC: other drivers do not tell the database. */
  @Override
  public @Nullable String identity() {
    return Mono.usingWhen(
            connections.create(),
            connection -> isPostgres(connection) ? ask(connection, IDENTITY) : Mono.empty(),
            Connection::close)
        .block();
  }

  private static <T> Mono<T> ended(Publisher<Void> end) {
    return Mono.from(end).then(Mono.empty());
  }
}

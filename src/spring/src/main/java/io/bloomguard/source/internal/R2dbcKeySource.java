package io.bloomguard.source.internal;

import io.bloomguard.generation.KeySource;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.R2dbcException;
import io.r2dbc.spi.Result;
import io.r2dbc.spi.Row;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
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
      "select concat(current_database(), '/', current_schema(), '/', ("
          + JdbcKeySource.SYSTEM
          + "))";

  private final ConnectionFactory connections;
  private final String query;
  private final int fetchSize;
  private final @Nullable ComparedColumn column;

  /** Whether each column is a part of the key. */
  private final boolean parts;

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
    this.query = JdbcKeySource.statement(query, fetchSize);
    this.connections = connections;
    this.fetchSize = fetchSize;
    this.column = column;
    this.parts = column != null && column.parts();
  }

  private @Nullable Object key(Row row) {
    if (!parts) {
      return JdbcKeySource.integral(row.get(0));
    }
    int columns = row.getMetadata().getColumnMetadatas().size();
    if (columns < 2) {
      throw JdbcKeySource.oneColumn(query);
    }
    List<@Nullable Object> key = new ArrayList<>(columns);
    for (int i = 0; i < columns; i++) {
      key.add(JdbcKeySource.integral(row.get(i)));
    }
    return key.contains(null) ? null : key;
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
            .toStream(fetchSize)) {
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
      throw JdbcKeySource.failed(query, e.getSqlState(), e);
    } finally {
      sink.onCancel(null);
    }
  }

  private Flux<Optional<Object>> keys(Connection connection) {
    boolean asks = isPostgres(connection);
    return Mono.from(connection.beginTransaction())
        .then(Mono.defer(() -> requireAllRows(connection)))
        .then(asks ? required(connection) : Mono.empty())
        .thenMany(
            Flux.defer(() -> connection.createStatement(query).fetchSize(fetchSize).execute()))
        .concatMap(result -> result.map((row, columns) -> Optional.ofNullable(key(row))))
        .doOnNext(key -> requireUnasked(asks, key.orElse(null)))
        // The transaction ends with the connection: a pool may take it back as it is.
        .concatWith(ended(connection.rollbackTransaction()));
  }

  private static boolean isPostgres(Connection connection) {
    return JdbcKeySource.POSTGRES.equals(connection.getMetadata().getDatabaseProductName());
  }

  /** Looks at the column before a row is read, on a thread that may wait. */
  private Mono<Void> required(Connection connection) {
    return Mono.<Void>fromCallable(
            () -> {
              R2dbcColumn asked = new R2dbcColumn(connection, query, parts ? 2 : 1);
              if (column != null && asked.isText()) {
                column.require(ColumnEquality.of(asked));
              }
              return null;
            })
        .subscribeOn(Schedulers.boundedElastic());
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
    return Mono.usingWhen(connections.create(), R2dbcKeySource::identity, Connection::close)
        .block();
  }

  private static Mono<String> identity(Connection connection) {
    return isPostgres(connection)
        ? Flux.from(connection.createStatement(IDENTITY).execute())
            .concatMap(result -> result.map((row, columns) -> String.valueOf(row.get(0))))
            .next()
        : Mono.empty();
  }

  private static Mono<Void> requireAllRows(Connection connection) {
    return isPostgres(connection)
        ? Flux.from(connection.createStatement(JdbcKeySource.ALL_ROWS).execute())
            .flatMap(Result::getRowsUpdated)
            .then()
        : Mono.empty();
  }

  private static <T> Mono<T> ended(Publisher<Void> end) {
    return Mono.from(end).then(Mono.empty());
  }
}

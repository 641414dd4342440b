package io.bloomguard.source.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.generation.KeySourceException;
import io.r2dbc.h2.H2ConnectionConfiguration;
import io.r2dbc.h2.H2ConnectionFactory;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.ConnectionFactoryMetadata;
import java.math.BigInteger;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class R2dbcKeySourceTest {

  private static final AtomicInteger DATABASES = new AtomicInteger();

  private final Counted connections = new Counted();

  /** Keeps the database in memory. */
  private final Connection open = Mono.from(connections.create()).block();

  @AfterEach
  void closesEveryConnection() {
    assertThat(connections.open).hasValue(1);
    Mono.from(open.close()).block();
  }

  @Test
  void theFirstColumnIsTheKey() {
    execute("create table item (id bigint, name varchar(40), code numeric(10, 0), ref uuid)");
    UUID ref = UUID.fromString("0b7c3c52-6a58-4d6b-9a0f-6a6f2b3b1c2d");
    execute("insert into item values (7, 'seven', 70, '" + ref + "'), (null, 'none', null, null)");

    assertThat(keys("select id, name from item order by id nulls last")).containsExactly(7L, null);
    assertThat(keys("select code from item where id = 7;")).containsExactly(BigInteger.valueOf(70));
    assertThat(keys("select ref from item where id = 7")).containsExactly(ref);
    assertThat(keys("select id from item where id = 8")).isEmpty();
  }

  @Test
  void rowsAreFetchedInParts() {
    assertThat(keys("select x from system_range(1, 10000)")).hasSize(10_000);
  }

  @Test
  void aFailureHasTheQueryAndTheSqlState() {
    assertThatThrownBy(() -> keys("select id from nowhere"))
        .isInstanceOf(KeySourceException.class)
        .hasMessageContaining("[select id from nowhere]")
        .hasMessageContaining("42S04");
  }

  @Test
  void anExceptionOfTheSinkEndsTheReading() {
    RecordingSink full =
        new RecordingSink() {
          @Override
          public void accept(@Nullable Object key) {
            throw new IllegalStateException("full");
          }
        };

    assertThatThrownBy(() -> source("select x from system_range(1, 10000)").forEach(full))
        .hasMessage("full");
  }

  @Test
  void aCancelledReadingFails() {
    AtomicReference<@Nullable Runnable> cancel = new AtomicReference<>();
    RecordingSink sink =
        new RecordingSink() {
          @Override
          public void onCancel(@Nullable Runnable action) {
            cancel.set(action);
          }

          @Override
          public void accept(@Nullable Object key) {
            super.accept(key);
            Runnable action = cancel.get();
            if (action != null) {
              action.run();
            }
          }
        };

    assertThatThrownBy(() -> source("select x from system_range(1, 10000)").forEach(sink))
        .isInstanceOf(CancellationException.class);
    assertThat(sink.keys).hasSizeLessThan(10_000);
    assertThat(cancel).hasValue(null);
  }

  @Test
  void aTextColumnNeedsTheOwnersWord() {
    execute("create table person (name varchar(40))");
    execute("insert into person values ('ann')");

    assertThatThrownBy(() -> keys(column(false), "select name from person"))
        .isInstanceOf(KeySourceException.class)
        .hasMessageContaining("bloomguard.filters.people.source.r2dbc.trust-collation=true");
    assertThat(keys(column(true), "select name from person")).containsExactly("ann");
  }

  @Test
  void aQueryAndItsFetchSizeAreChecked() {
    assertThatThrownBy(() -> new R2dbcKeySource(connections, " ; ", 10, null))
        .hasMessageContaining("must not be blank");
    assertThatThrownBy(() -> new R2dbcKeySource(connections, "select 1", 0, null))
        .hasMessageContaining("at least 1, not 0");
  }

  private static ComparedColumn column(boolean trusted) {
    return new ComparedColumn(
        "bloomguard.filters.people", "r2dbc", KeyFolding.EXACT, trusted, false);
  }

  private Iterable<@Nullable Object> keys(String query) {
    return keys(null, query);
  }

  private Iterable<@Nullable Object> keys(@Nullable ComparedColumn column, String query) {
    RecordingSink sink = new RecordingSink();
    new R2dbcKeySource(connections, query, 100, column).forEach(sink);
    return sink.keys;
  }

  private R2dbcKeySource source(String query) {
    return new R2dbcKeySource(connections, query, 100, null);
  }

  private void execute(String sql) {
    Flux.from(open.createStatement(sql).execute()).flatMap(r -> r.getRowsUpdated()).blockLast();
  }

  /** Counts the open connections. */
  private static final class Counted implements ConnectionFactory {

    final AtomicInteger open = new AtomicInteger();

    private final ConnectionFactory real =
        new H2ConnectionFactory(
            H2ConnectionConfiguration.builder()
                .inMemory("r2dbc-keys-" + DATABASES.incrementAndGet())
                .build());

    @Override
    public Publisher<? extends Connection> create() {
      return Mono.from(real.create())
          .map(
              connection -> {
                open.incrementAndGet();
                return (Connection)
                    java.lang.reflect.Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (proxy, method, arguments) -> {
                          if (method.getName().equals("close")) {
                            open.decrementAndGet();
                          }
                          return method.invoke(connection, arguments);
                        });
              });
    }

    @Override
    public ConnectionFactoryMetadata getMetadata() {
      return real.getMetadata();
    }
  }
}

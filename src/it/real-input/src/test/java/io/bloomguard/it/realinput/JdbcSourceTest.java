package io.bloomguard.it.realinput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.generation.KeySource.KeySink;
import io.bloomguard.generation.KeySourceException;
import io.bloomguard.source.internal.JdbcKeySource;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The JDBC key source on PostgreSQL. */
@ExtendWith(RealParts.Provider.class)
class JdbcSourceTest {

  private static final int ROWS = 2_000_000;

  /** The rows that are fetched at once take about a megabyte; all rows would take 80. */
  private static final long BOUND = 8_000_000;

  @Test
  void heapDoesNotGrowWithTheRows(RealParts parts) {
    List<Long> grown = new ArrayList<>();
    long before = liveBytes();
    long[] seen = new long[2];
    KeySink sink =
        new KeySink() {
          @Override
          public void accept(Object key) {
            throw new AssertionError("a bigint came as an object");
          }

          @Override
          public void accept(long key) {
            seen[0]++;
            seen[1] += key;
            if (seen[0] % (ROWS / 2) == 0) {
              grown.add(liveBytes() - before);
            }
          }
        };

    new JdbcKeySource(
            parts.dataSource(),
            "select generate_series(1, " + ROWS + "::bigint)",
            10_000,
            null,
            null,
            Duration.ofSeconds(60))
        .forEach(sink);

    assertThat(seen).containsExactly(ROWS, ROWS * (ROWS + 1L) / 2);
    assertThat(grown).hasSize(2).allMatch(bytes -> bytes < BOUND);
  }

  @Test
  void theNumberOfRowsIsWhatThePlannerExpects(RealParts parts) throws SQLException {
    execute(parts.dataSource(), "analyze packages");
    assertThat(
            new JdbcKeySource(
                    parts.dataSource(),
                    "select name from packages;",
                    100,
                    null,
                    null,
                    Duration.ofSeconds(60))
                .count())
        .isEqualTo(OptionalLong.of(parts.names().size()));
  }

  @Test
  void whatCannotBePlannedHasNoNumber(RealParts parts) {
    assertThat(
            new JdbcKeySource(
                    parts.dataSource(),
                    "select name from nowhere",
                    100,
                    null,
                    null,
                    Duration.ofSeconds(60))
                .count())
        .isEmpty();
  }

  /** With and without a time zone in the column: the latter holds the JVM's local time. */
  @Test
  void recentRowsAreThoseSinceTheMoment(RealParts parts) throws SQLException {
    for (String type : List.of("timestamptz", "timestamp")) {
      execute(
          parts.dataSource(),
          "drop table if exists event; create table event (id bigint, at " + type + ")");
      Instant now = Instant.parse("2026-07-01T12:00:00.123456Z");
      try (Connection connection = parts.dataSource().getConnection();
          PreparedStatement insert =
              connection.prepareStatement("insert into event values (?, ?)")) {
        for (int id = -2; id <= 2; id++) {
          insert.setLong(1, id);
          insert.setTimestamp(2, Timestamp.from(now.plus(id, ChronoUnit.MICROS)));
          insert.execute();
        }
      }
      List<Long> keys = new ArrayList<>();
      KeySink sink =
          new KeySink() {
            @Override
            public void accept(Object key) {
              throw new AssertionError("a bigint came as an object");
            }

            @Override
            public void accept(long key) {
              keys.add(key);
            }
          };

      new JdbcKeySource(
              parts.dataSource(),
              "select id from event",
              2,
              "select id from event where at >= ? and ('{}'::jsonb ?? 'x') is false order by id",
              null,
              Duration.ofSeconds(60))
          .forEachRecent(now, sink);

      assertThat(keys).as(type).containsExactly(0L, 1L, 2L);
    }
  }

  /** The driver's query timeout is of the first fetch alone, and so is its {@code cancel}. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "select length(pg_sleep(600)::text)",
        "select case when x = 55 then length(pg_sleep(600)::text) else x end"
            + " from (select generate_series(1, 100) x) t"
      })
  void aFetchThatHangsIsEnded(String query, RealParts parts) throws SQLException {
    List<Object> keys = new ArrayList<>();
    KeySink sink =
        new KeySink() {
          @Override
          public void accept(Object key) {
            keys.add(key);
          }

          @Override
          public void accept(long key) {
            keys.add(key);
          }
        };
    JdbcKeySource source =
        new JdbcKeySource(parts.dataSource(), query, 10, null, null, Duration.ofSeconds(1));
    assertThatThrownBy(() -> source.forEach(sink))
        .isInstanceOf(KeySourceException.class)
        .hasMessageContaining("yielded no row for PT1S (source.jdbc.timeout)");
    execute(parts.dataSource(), "select 1");
  }

  private static long liveBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static void execute(DataSource dataSource, String sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}

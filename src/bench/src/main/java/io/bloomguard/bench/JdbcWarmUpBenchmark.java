package io.bloomguard.bench;

import com.zaxxer.hikari.HikariDataSource;
import io.bloomguard.generation.internal.ParallelFill;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.source.internal.JdbcKeySource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** A warm-up from a table of PostgreSQL, beside a loop that only reads its rows. */
@Suite(
    order = 35,
    per = "rows",
    title = "Warm-up from five million rows of PostgreSQL",
    brief = "text keys, beside a loop that only reads",
    shown = "type=text",
    text =
        """
        From a table to a filter that serves: `bloomguard` through the JDBC key source; `readRows` by
        a loop over the same query with the same fetch size that only sums up the keys. The
        database shares the machine, and `bloomguard` hashes on a second thread, as it does wherever
        there is a second core. Times are for each row.
        """,
    plots = @Suite.Plot(title = "Warm-up from 5M rows of PostgreSQL: ns a row"))
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3)
@Measurement(iterations = 5)
public class JdbcWarmUpBenchmark {

  private static final int FETCH_SIZE = 10_000;

  @Param({"bigint", "text"})
  String type;

  @Param({"5000000"})
  int rows;

  private int count;
  private String query;
  private EmbeddedPostgres postgres;
  private HikariDataSource dataSource;

  @Setup
  public void fillTable() throws IOException, SQLException {
    count = BenchForm.size(rows, 20_000);
    query = "select id from item";
    postgres = EmbeddedPostgres.start();
    dataSource = new HikariDataSource();
    dataSource.setJdbcUrl(postgres.getJdbcUrl("postgres", "postgres"));
    String id = type.equals("bigint") ? "n::bigint" : "'item-' || n";
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "create table item as select " + id + " id from generate_series(1, " + count + ") n");
      statement.execute("vacuum analyze item");
    }
  }

  @TearDown
  public void stop() throws IOException {
    dataSource.close();
    postgres.close();
  }

  @Benchmark
  public long readRows() throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try (PreparedStatement statement = connection.prepareStatement(query)) {
        statement.setFetchSize(FETCH_SIZE);
        try (ResultSet read = statement.executeQuery()) {
          return type.equals("bigint") ? longs(read) : strings(read);
        }
      }
    }
  }

  private static long longs(ResultSet rows) throws SQLException {
    long sum = 0;
    while (rows.next()) {
      sum += rows.getLong(1);
    }
    return sum;
  }

  private static long strings(ResultSet rows) throws SQLException {
    long sum = 0;
    while (rows.next()) {
      sum += rows.getString(1).length();
    }
    return sum;
  }

  @Benchmark
  public long bloomguard() {
    ManagedFilter filter =
        Fills.local(
            new JdbcKeySource(dataSource, query, FETCH_SIZE, null, null, Duration.ofSeconds(60)),
            count,
            0.01,
            ParallelFill.defaultHelpers());
    if (filter.lastSuccess().orElseThrow().keys() != count) {
      throw new IllegalStateException("Not every row was read");
    }
    return filter.status().estimatedElements();
  }
}

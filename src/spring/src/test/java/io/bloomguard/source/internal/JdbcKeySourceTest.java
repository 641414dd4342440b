package io.bloomguard.source.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.generation.KeySource.KeySink;
import io.bloomguard.generation.KeySourceException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

class JdbcKeySourceTest {

  private static final AtomicInteger DATABASES = new AtomicInteger();

  private final Connection connection = open();
  private final DataSource dataSource = new SingleConnectionDataSource(connection, true);

  private static Connection open() {
    try {
      return DriverManager.getConnection("jdbc:h2:mem:keys-" + DATABASES.incrementAndGet());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @BeforeEach
  void createTable() throws SQLException {
    execute("create table item (id bigint, name varchar(40), code numeric(10,0), ref uuid)");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  /** The expression that docs/keys.md gives. */
  @Test
  void aKeyOfPartsIsWrittenBySql() throws SQLException {
    execute("insert into item (id, name) values (42, 'acme'), (7, 'a:b'), (8, '50%3A')");
    RecordingSink sink = new RecordingSink();
    new JdbcKeySource(
            dataSource,
            "select replace(replace(name, '%', '%25'), ':', '%3A') || ':' || id from item",
            10,
            null,
            null,
            Duration.ofSeconds(60))
        .forEach(sink);
    assertThat(sink.keys)
        .containsExactly(
            CanonicalKey.of(List.of("acme", 42)),
            CanonicalKey.of(List.of("a:b", 7)),
            CanonicalKey.of(List.of("50%3A", 8)));
  }

  /** No host and no query: two processes of one database have the same. */
  @Test
  void theIdentityNamesTheDatabase() throws Exception {
    String catalog = connection.getCatalog();
    assertThat(catalog).isNotEmpty();
    for (String query : List.of("select id from item", "select name from item")) {
      JdbcKeySource source =
          new JdbcKeySource(dataSource, query, 10, null, null, Duration.ofSeconds(60));
      assertThat(source.identity()).isEqualTo(catalog + "/PUBLIC/");
    }
    assertThat(connection.getAutoCommit()).isTrue();
  }

  /** Rows that never come, though the database is at work. */
  private static final String ENDLESS =
      "select x from system_range(1, 1000000000000) where mod(x, 7) = 9";

  @Test
  void aFetchThatTakesTooLongIsCancelled() throws SQLException {
    Duration timeout = Duration.ofMillis(200);
    assertThatThrownBy(
            () ->
                new JdbcKeySource(dataSource, ENDLESS, 10, null, null, timeout)
                    .forEach(new RecordingSink()))
        .isInstanceOf(KeySourceException.class)
        .hasMessageContaining("yielded no row for PT0.2S (source.jdbc.timeout)");
    execute("insert into item (id) values (1)");
  }

  @Test
  void aReadingIsCancelledFromAnotherThread() throws SQLException {
    RecordingSink sink =
        new RecordingSink() {
          private volatile boolean reading;

          @Override
          public void onCancel(@Nullable Runnable action) {
            reading = action != null;
            if (action != null) {
              // A statement that has not begun yet misses its cancellation.
              new Thread(
                      () -> {
                        while (reading) {
                          action.run();
                          Thread.yield();
                        }
                      })
                  .start();
            }
          }
        };
    assertThatThrownBy(
            () ->
                new JdbcKeySource(dataSource, ENDLESS, 10, null, null, Duration.ofSeconds(60))
                    .forEach(sink))
        .isInstanceOf(KeySourceException.class);
    execute("insert into item (id) values (1)");
  }

  @Test
  void theConnectionGoesBackWithItsNetworkTimeout() {
    List<Object> set = new ArrayList<>();
    Connection noting =
        (Connection)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("unwrap")) {
                    return proxy;
                  }
                  if (method.getName().equals("getNetworkTimeout")) {
                    return 120_000;
                  }
                  if (method.getName().equals("setNetworkTimeout")) {
                    set.add(arguments[1]);
                    return null;
                  }
                  return method.invoke(connection, arguments);
                });
    new JdbcKeySource(
            new SingleConnectionDataSource(noting, true),
            "select id from item",
            10,
            null,
            null,
            Duration.ofSeconds(60))
        .forEach(new RecordingSink());
    assertThat(set).containsExactly(65_000, 120_000);
  }

  @Test
  void aPoolKeepsTheConnectionOfADriverWithoutNetworkTimeout() throws SQLException {
    Connection without =
        (Connection)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                  if (method.getName().endsWith("NetworkTimeout")) {
                    throw new SQLFeatureNotSupportedException("feature not supported", "0A000");
                  }
                  return method.invoke(connection, arguments);
                });
    execute("insert into item (id) values (1)");
    HikariConfig config = new HikariConfig();
    config.setDataSource(new SingleConnectionDataSource(without, true));
    config.setMaximumPoolSize(1);
    RecordingSink sink = new RecordingSink();
    try (HikariDataSource pool = new HikariDataSource(config)) {
      new JdbcKeySource(pool, "select id from item", 10, null, null, Duration.ofSeconds(60))
          .forEach(sink);
    }
    assertThat(sink.keys).containsExactly(1L);
  }

  @Test
  void manyRowsAreStreamedWithoutBoxing() throws SQLException {
    execute("insert into item (id) select x from system_range(1, 200000)");
    long[] seen = new long[2];

    new JdbcKeySource(dataSource, "select id from item", 1_000, null, null, Duration.ofSeconds(60))
        .forEach(
            new KeySink() {
              @Override
              public void accept(@Nullable Object key) {
                throw new AssertionError("a bigint came as an object");
              }

              @Override
              public void accept(long key) {
                seen[0]++;
                seen[1] += key;
              }
            });

    assertThat(seen).containsExactly(200_000, 200_000L * 200_001 / 2);
  }

  @Test
  void aBigintIsALongAndItsNullANull() throws SQLException {
    execute("insert into item (id) values (7), (null), (-9223372036854775808)");

    RecordingSink sink = scan("select id from item");

    assertThat(sink.keys).containsExactly(7L, null, Long.MIN_VALUE);
    assertThat(sink.longs).isEqualTo(2);
  }

  @Test
  void aVarcharIsAStringAndItsNullANull() throws SQLException {
    execute("insert into item (name) values ('apt'), (null), ('été')");
    assertThat(scan("select name from item").keys).containsExactly("apt", null, "été");
  }

  @Test
  void aUuidIsAUuid() throws SQLException {
    UUID ref = new UUID(1, 2);
    execute("insert into item (ref) values ('" + ref + "')");
    assertThat(scan("select ref from item").keys).containsExactly(ref);
  }

  @Test
  void aDecimalWithoutFractionIsANumber() throws SQLException {
    execute("insert into item (code) values (9999999999)");
    assertThat(scan("select code from item").keys).containsExactly(9_999_999_999L);
  }

  @Test
  void aDecimalTooLongForALongIsABigInteger() {
    assertThat(scan("select cast('123456789012345678901234567890' as numeric(30,0))").keys)
        .containsExactly(new BigInteger("123456789012345678901234567890"));
  }

  @Test
  void aDecimalWithScaleIsANumberOnlyWithoutFraction() {
    assertThat(scan("select x from (values cast(42.00 as numeric(9,2)), 42.50) t(x)").keys)
        .containsExactly(BigInteger.valueOf(42), new BigDecimal("42.50"));
  }

  @Test
  void onlyTheFirstColumnIsRead() throws SQLException {
    execute("insert into item (id, name) values (1, 'x')");
    assertThat(scan("select name, id from item;").keys).containsExactly("x");
  }

  @Test
  void theConnectionGoesBackAsItCame() throws SQLException {
    for (boolean autoCommit : new boolean[] {true, false}) {
      connection.setAutoCommit(autoCommit);
      List<String> calls = new ArrayList<>();

      new JdbcKeySource(
              recording(calls), "select id from item", 100, null, null, Duration.ofSeconds(60))
          .forEach(new RecordingSink());

      assertThat(connection.getAutoCommit()).isEqualTo(autoCommit);
      assertThat(calls)
          .containsExactly(
              "setNetworkTimeout 65000",
              "setReadOnly true",
              "setAutoCommit false",
              "prepareStatement",
              "rollback",
              "setAutoCommit " + autoCommit,
              "setReadOnly false",
              "setNetworkTimeout 0",
              "close");
    }
  }

  @Test
  void whatTheSinkThrowsPassesAndTheConnectionStillGoesBackAsItCame() throws SQLException {
    execute("insert into item (name) values ('a')");
    List<String> calls = new ArrayList<>();
    IllegalStateException full = new IllegalStateException("the sink is full");
    KeySink sink =
        new KeySink() {
          @Override
          public void accept(@Nullable Object key) {
            throw full;
          }

          @Override
          public void accept(long key) {}
        };

    assertThatThrownBy(
            () ->
                new JdbcKeySource(
                        recording(calls),
                        "select name from item",
                        1,
                        null,
                        null,
                        Duration.ofSeconds(60))
                    .forEach(sink))
        .isSameAs(full);

    assertThat(calls)
        .endsWith(
            "rollback", "setAutoCommit true", "setReadOnly false", "setNetworkTimeout 0", "close");
    assertThat(connection.getAutoCommit()).isTrue();
  }

  @Test
  void aQueryThatFailsIsNamed() {
    assertThatThrownBy(() -> scan("selec id from item"))
        .isInstanceOf(KeySourceException.class)
        .hasMessageContaining("selec id from item")
        .hasMessageContaining("42")
        .hasCauseInstanceOf(SQLException.class);
  }

  @Test
  void aStatementThatIsNoQueryFails() {
    assertThatThrownBy(() -> scan("delete from item"))
        .isInstanceOf(KeySourceException.class)
        .hasMessageContaining("delete from item");
  }

  @Test
  void theCountIsThatOfTheQuery() throws SQLException {
    execute("insert into item (id) select x from system_range(1, 10)");

    assertThat(
            new JdbcKeySource(
                    dataSource,
                    "select id from item where id > 4;",
                    10,
                    null,
                    null,
                    Duration.ofSeconds(60))
                .count())
        .isEqualTo(OptionalLong.of(6));
    assertThat(connection.getAutoCommit()).isTrue();
  }

  /** H2 keeps a statement's time limit for its connection, and pools do not reset it. */
  @Test
  void countLeavesNoTimeLimitOnTheConnection() throws SQLException {
    assertThat(
            new JdbcKeySource(
                    dataSource, "select id from item", 10, null, null, Duration.ofSeconds(60))
                .count())
        .isPresent();
    try (Statement statement = connection.createStatement()) {
      assertThat(statement.getQueryTimeout()).isZero();
    }
  }

  @Test
  void aCountThatFailsIsNotKnown() {
    assertThat(
            new JdbcKeySource(
                    dataSource, "select id from nowhere", 10, null, null, Duration.ofSeconds(60))
                .count())
        .isEmpty();
  }

  @Test
  void settingsOutOfRangeAreRefused() {
    assertThatThrownBy(
            () -> new JdbcKeySource(dataSource, " ", 10, null, null, Duration.ofSeconds(60)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () -> new JdbcKeySource(dataSource, "select 1", 0, null, null, Duration.ofSeconds(60)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0");
  }

  @Test
  void recentRowsAreThoseSinceTheMoment() throws SQLException {
    execute("create table event (id bigint, at timestamp with time zone)");
    execute("create table local_event (id bigint, at timestamp)");
    Instant now = Instant.parse("2026-03-01T12:00:00.123456Z");
    for (String table : List.of("event", "local_event")) {
      try (PreparedStatement insert =
          connection.prepareStatement("insert into " + table + " values (?, ?)")) {
        for (int id = -2; id <= 2; id++) {
          insert.setLong(1, id);
          insert.setTimestamp(2, Timestamp.from(now.plus(id, ChronoUnit.MICROS)));
          insert.execute();
        }
      }
      RecordingSink sink = new RecordingSink();

      recent("select id from " + table + " where at >= ? order by id;").forEachRecent(now, sink);

      assertThat(sink.keys).containsExactly(0L, 1L, 2L);
      assertThat(sink.longs).isEqualTo(3);
    }
    assertThat(connection.getAutoCommit()).isTrue();
  }

  @Test
  void aRecentQueryThatFailsIsNamed() {
    assertThatThrownBy(
            () ->
                recent("selec id from item where id > ?")
                    .forEachRecent(Instant.now(), new RecordingSink()))
        .isInstanceOf(KeySourceException.class)
        .hasMessageContaining("selec id from item where id > ?")
        .hasMessageContaining("42");
  }

  @Test
  void aSourceKnowsRecentRowsByItsQueryAlone() {
    assertThat(recent("select id from item where id > ?").knowsRecent()).isTrue();
    JdbcKeySource without =
        new JdbcKeySource(
            dataSource, "select id from item", 10, null, null, Duration.ofSeconds(60));
    assertThat(without.knowsRecent()).isFalse();
    assertThatThrownBy(() -> without.forEachRecent(Instant.now(), new RecordingSink()))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void aRecentQueryWithoutItsOneParameterIsRefused() {
    assertThatThrownBy(() -> recent("select id from item"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("select id from item")
        .hasMessageContaining("exactly one parameter");
  }

  private JdbcKeySource recent(String query) {
    return new JdbcKeySource(
        dataSource, "select id from item", 10, query, null, Duration.ofSeconds(60));
  }

  private RecordingSink scan(String query) {
    RecordingSink sink = new RecordingSink();
    new JdbcKeySource(dataSource, query, 100, null, null, Duration.ofSeconds(60)).forEach(sink);
    return sink;
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** A data source that writes down what is done to its connection's state. */
  private DataSource recording(List<String> calls) {
    Connection recorded =
        (Connection)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                  String name = method.getName();
                  if (name.equals("unwrap")) {
                    return proxy;
                  }
                  if (name.startsWith("set")) {
                    calls.add(name + " " + arguments[arguments.length - 1]);
                  } else if (List.of("rollback", "prepareStatement", "close").contains(name)) {
                    calls.add(name);
                  }
                  if (name.equals("close")) {
                    return null;
                  }
                  try {
                    return method.invoke(connection, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    return new SingleConnectionDataSource(recorded, false);
  }
}

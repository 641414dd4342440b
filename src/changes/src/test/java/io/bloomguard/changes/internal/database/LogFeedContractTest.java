package io.bloomguard.changes.internal.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.bloomguard.changes.ChangeFeedContractTest;
import io.bloomguard.changes.CutProxy;
import io.bloomguard.changes.internal.TransactionIds;
import io.bloomguard.changes.internal.record.ChangeRecords;
import io.bloomguard.generation.Change;
import io.bloomguard.guard.Transactions;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What filters rely on of a feed from the log of a database. */
abstract class LogFeedContractTest extends ChangeFeedContractTest {

  private static final AtomicInteger NAMES = new AtomicInteger();

  static int port;

  /** The way of the feeds to the database. */
  static CutProxy proxy;

  final String table = "products_" + NAMES.incrementAndGet();
  final String slot = "slot_" + table;
  final String beside = slot + "_images";

  /** The address of the database by a port. */
  abstract String url(int by);

  /** The address of the database, with the user who writes. */
  abstract String writer();

  /** The schema of the tables. */
  abstract String schema();

  /** To be called once the server runs. */
  static void isAt(int ofServer) throws IOException {
    port = ofServer;
    proxy = new CutProxy(ofServer);
  }

  @AfterAll
  static void closeProxy() throws IOException {
    if (proxy != null) {
      proxy.close();
    }
  }

  @BeforeEach
  void makeTable() throws SQLException {
    sql("create table " + table + "(id bigint primary key, name varchar(50))");
  }

  @Override
  @AfterEach
  protected void closeFeeds() throws Exception {
    super.closeFeeds();
    proxy.mend();
  }

  final DatabaseFeed feed(String url, String followed, boolean shared, String... key) {
    return feed(url, followed, slot, shared, key);
  }

  private DatabaseFeed feed(String url, String followed, String by, boolean shared, String... key) {
    List<String> columns = List.of(key);
    return new DatabaseFeed(
        new FollowedTable("products", followed, columns, by, "pub_" + table, shared),
        Objects.requireNonNull(DatabaseAddress.parse(url, "reader", "reader")),
        new ChangeRecords(ChangeRecords.Format.DEBEZIUM, columns, ""));
  }

  final DatabaseFeed feed(String followed, boolean shared, String... key) {
    return feed(url(proxy.port()), followed, shared, key);
  }

  @Override
  protected final DatabaseFeed feed(boolean shared) {
    return feed(schema() + "." + table, shared, "id");
  }

  @Override
  protected final DatabaseFeed feedBeside() {
    return feed(url(proxy.port()), schema() + "." + table, beside, false, "id");
  }

  final void sql(String... statements) throws SQLException {
    run(writer(), statements);
  }

  static void run(String url, String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  @Override
  protected void insert(long id) throws SQLException {
    sql("insert into " + table + " values (" + id + ", 'name')");
  }

  @Override
  protected void update(long id) throws SQLException {
    sql("update " + table + " set name = 'new' where id = " + id);
  }

  @Override
  protected void changeKey(long from, long to) throws SQLException {
    sql("update " + table + " set id = " + to + " where id = " + from);
  }

  @Override
  protected void delete(long id) throws SQLException {
    sql("delete from " + table + " where id = " + id);
  }

  @Override
  protected void truncate() throws SQLException {
    sql("truncate " + table);
  }

  /** Whether a session of the database can tell the id of its transaction. */
  boolean tellsTransactions() {
    return true;
  }

  @Test
  void anOwnTransactionIsNamedAsItsChangesNameIt() throws Exception {
    assumeTrue(tellsTransactions());
    begun();
    DataSource dataSource = new DriverManagerDataSource(writer());
    TransactionIds ids = new TransactionIds(dataSource);
    TransactionTemplate transaction =
        new TransactionTemplate(new JdbcTransactionManager(dataSource));
    AtomicLong row = new AtomicLong();
    AtomicReference<Transactions.Id> asked = new AtomicReference<>(Transactions.Id.UNKNOWN);
    soon()
        .until(
            () -> {
              String[] id = new String[1];
              transaction.executeWithoutResult(
                  status -> {
                    new JdbcTemplate(dataSource)
                        .update("insert into " + table + " values (?, 'n')", row.incrementAndGet());
                    asked.set(ids.get());
                    TransactionSynchronizationManager.registerSynchronization(
                        new TransactionSynchronization() {
                          @Override
                          public void afterCompletion(int status) {
                            id[0] = asked.get().get();
                          }
                        });
                  });
              return id[0] != null;
            });
    Change last = Change.inserted(row.get());
    untilHeard(last);
    assertThat(heard.transactions.get(last)).contains(asked.get().get());
    insert(1_000_000);
    untilHeard(Change.inserted(1_000_000L));
    assertThat(heard.transactions.get(Change.inserted(1_000_000L)))
        .isPresent()
        .isNotEqualTo(heard.transactions.get(last));
  }

  @Test
  void aLostConnectionIsToldOfAndRecovers() throws Exception {
    begun();
    proxy.cut();
    soon().until(() -> heard.why != null);
    assertThat(heard.why).contains("could not be read");
    insert(1);
    proxy.mend();
    untilHeard(Change.inserted(1L));
    assertThat(heard.begins).hasSize(1);
  }

  /** Its machine is gone, and what it has begun ends by itself. */
  @Tag("thorough")
  @Tag("long")
  @Test
  void aReaderThatIsCutOffIsReplaced() throws Exception {
    started(feed(true), heard);
    soon().until(() -> heard.completed > 0);
    proxy.swallow();
    insert(1);
    started(feed(url(port), schema() + "." + table, true, "id"), heard);
    untilHeard(Change.inserted(1L));
    assertThat(heard.begins).hasSize(1);
  }

  @Test
  void rowsOfOneLargeTransactionSurviveAFailureWithinIt() throws Exception {
    begun();
    heard.refuseAfter(1_000);
    sql(rowsTo(5_000));
    soon().until(() -> heard.why != null);
    heard.refuses = false;
    untilHeard(Change.inserted(5_000L));
    assertThat(heard.changes.stream().map(Change::after).distinct().count()).isEqualTo(5_000);
    assertThat(heard.begins).hasSize(1);
  }

  /** The statement that inserts the rows from 1 to a number. */
  final String rowsTo(int last) {
    return "insert into "
        + table
        + " values "
        + IntStream.rangeClosed(1, last)
            .mapToObj(id -> "(" + id + ", 'name')")
            .collect(Collectors.joining(", "));
  }
}

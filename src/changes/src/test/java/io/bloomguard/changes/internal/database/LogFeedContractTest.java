package io.bloomguard.changes.internal.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.changes.ChangeFeedContractTest;
import io.bloomguard.changes.CutProxy;
import io.bloomguard.changes.internal.TransactionIds;
import io.bloomguard.generation.Change;
import io.bloomguard.generation.ChangeFeed;
import io.bloomguard.guard.Transactions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
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

  final String table = "products_" + NAMES.incrementAndGet();

  /** The address of the database, with the user who writes. */
  abstract String writer();

  /** The way of the feeds to the database. */
  abstract CutProxy proxy();

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

  @Test
  void anOwnTransactionIsNamedAsItsChangesNameIt() throws Exception {
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
    proxy().cut();
    soon().until(() -> heard.why != null);
    assertThat(heard.why).contains("could not be read");
    insert(1);
    proxy().mend();
    untilHeard(Change.inserted(1L));
    assertThat(heard.begins).hasSize(1);
  }

  /** Its machine is gone, and what it has begun ends by itself. */
  @Test
  void aReaderThatIsCutOffIsReplaced() throws Exception {
    started(feed(true), heard);
    soon().until(() -> heard.completed > 0);
    proxy().swallow();
    insert(1);
    started(feedPastTheProxy(), heard);
    untilHeard(Change.inserted(1L));
    assertThat(heard.begins).hasSize(1);
  }

  /** Another process' feed of the same filter, whose way is not cut. */
  abstract ChangeFeed feedPastTheProxy();

  @Test
  void rowsOfOneLargeTransactionSurviveAFailureWithinIt() throws Exception {
    begun();
    heard.refuseAfter(1_000);
    insertMany(5_000);
    soon().until(() -> heard.why != null);
    heard.refuses = false;
    untilHeard(Change.inserted(5_000L));
    assertThat(heard.changes.stream().map(Change::after).distinct().count()).isEqualTo(5_000);
    assertThat(heard.begins).hasSize(1);
  }

  /** Inserts the rows from 1 to a number by one statement. */
  abstract void insertMany(int last) throws Exception;
}

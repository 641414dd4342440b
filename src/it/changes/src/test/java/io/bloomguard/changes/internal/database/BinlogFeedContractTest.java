package io.bloomguard.changes.internal.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.generation.Change;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What filters rely on of a feed from a binary log. */
abstract class BinlogFeedContractTest extends LogFeedContractTest {

  /** The port of the first server. */
  private static int first;

  /** The rights of the user who reads. */
  abstract String rights();

  /** The statement that resets the log. */
  abstract String reset();

  /** Stops the server, and starts it again. */
  abstract void restart() throws Exception;

  /** The port of another server, which has the same number, and is {@link #prepare}d. */
  abstract int other() throws Exception;

  /** Makes the database and the user who reads. */
  static void prepare(String root, String rights) throws SQLException {
    run(
        root,
        "create database shop",
        "create user reader@'%' identified by 'reader'",
        "grant " + rights + " on *.* to reader@'%'",
        "grant select on shop.* to reader@'%'");
  }

  @Override
  final String schema() {
    return "shop";
  }

  @Override
  final String writer() {
    return url(port) + "?user=root";
  }

  @BeforeEach
  void noteServer() {
    first = first == 0 ? port : first;
  }

  @Override
  @AfterEach
  protected void closeFeeds() throws Exception {
    super.closeFeeds();
    leadTo(first);
  }

  private static void leadTo(int server) {
    port = server;
    proxy.leadTo(server);
  }

  @Override
  protected void replace() throws Exception {
    awaitNextSecond();
    leadTo(other());
    makeTable();
  }

  /** The time at which a table was made is in seconds. */
  private static void awaitNextSecond() {
    long second = System.currentTimeMillis() / 1_000;
    await().until(() -> System.currentTimeMillis() / 1_000 > second);
  }

  @Override
  protected void outgrow() throws Exception {
    int shorter = port == first ? other() : first;
    sql("create table if not exists noise(text varchar(1000))");
    while (files(port) < files(shorter)) {
      sql("flush binary logs");
    }
    while (files(port) == files(shorter) && size(port) <= size(shorter)) {
      sql("insert into noise values (repeat('x', 1000))");
    }
  }

  /** The number of the last file of a log. */
  private long files(int ofServer) throws SQLException {
    String name = last(ofServer).split(" ")[0];
    return Long.parseLong(name.substring(name.lastIndexOf('.') + 1));
  }

  private long size(int ofServer) throws SQLException {
    return Long.parseLong(last(ofServer).split(" ")[1]);
  }

  /** The name of the last file of a log, and its size. */
  private String last(int ofServer) throws SQLException {
    List<String> files = texts(url(ofServer) + "?user=root", "show binary logs");
    return files.get(files.size() - 1);
  }

  /** The server keeps a file for as long as it sends it, or may need it after a crash. */
  @Override
  protected void lose() {
    await()
        .until(
            () -> {
              sql("flush binary logs", "purge binary logs before now() + interval 1 day");
              return files() == 1;
            });
  }

  private int files() throws SQLException {
    return texts("show binary logs").size();
  }

  /** The files of the log and their sizes. */
  private String log() throws SQLException {
    return texts("show binary logs").toString();
  }

  private boolean isVisible(long id) throws SQLException {
    return !texts("select id, name from " + table + " where id = " + id).isEmpty();
  }

  /** The first two columns of each row. */
  private List<String> texts(String query) throws SQLException {
    return texts(writer(), query);
  }

  private static List<String> texts(String url, String query) throws SQLException {
    List<String> texts = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        texts.add(rows.getString(1) + " " + rows.getString(2));
      }
    }
    return texts;
  }

  /** Rows of the log have no names of columns, and are read by those that the table has now. */
  @Test
  void aTableThatWasAlteredBetweenIsABeginWithoutKnowledge() throws Exception {
    begun().close();
    insert(1);
    sql("alter table " + table + " add column code bigint not null default 5 first");
    begun();
    assertThat(heard.begins).hasSize(2);
    assertThat(heard.changes).isEmpty();
    sql("insert into " + table + " values (9, 2, 'name')");
    untilHeard(Change.inserted(2L));
  }

  /** As a tool does it that alters a copy of a table. */
  @Test
  void aTableThatAnotherOneReplacedBetweenIsABeginWithoutKnowledge() throws Exception {
    begun().close();
    String next = "next_" + table;
    awaitNextSecond();
    sql(
        "create table " + next + " like " + table,
        "insert into " + next + " values (1, 'copied')",
        "rename table " + table + " to old_" + table + ", " + next + " to " + table);
    insert(2);
    begun();
    assertThat(heard.begins).hasSize(2);
  }

  /** Its rows are in no log. */
  @Test
  void aTableThatAnotherOneReplacesIsABeginWithoutKnowledge() throws Exception {
    String next = "next_" + table;
    begun();
    sql(
        "create table " + next + " like " + table,
        "insert into " + next + " values (1, 'copied')",
        "rename table " + table + " to old_" + table + ", " + next + " to " + table);
    untilBegunAgain();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "drop partition low",
        "truncate partition low",
        "exchange partition low with table other_"
      })
  void aPartitionThatGoesIsABeginWithoutKnowledge(String change) throws Exception {
    String other = "other_" + table;
    sql(
        "create table " + other + " like " + table,
        "alter table "
            + table
            + " partition by range (id) (partition low values less than (100),"
            + " partition high values less than maxvalue)");
    begun();
    sql("alter table " + table + " " + change.replace("other_", other));
    untilBegunAgain();
  }

  private void untilBegunAgain() throws Exception {
    soon().until(() -> heard.begins.size() == 2);
    insert(2);
    untilHeard(Change.inserted(2L));
    assertThat(heard.begins).hasSize(2);
  }

  @Test
  void aTableThatIsAlteredIsReadOn() throws Exception {
    begun();
    sql(
        "alter table " + table + " add column code bigint not null default 5 first",
        "insert into " + table + " values (9, 2, 'name')");
    untilHeard(Change.inserted(2L));
    assertThat(heard.begins).hasSize(1);
  }

  /** As JDBC yields them; by itself the engine makes negative numbers of the upper half. */
  @Test
  void unsignedKeysKeepTheirDigits() throws Exception {
    sql("alter table " + table + " modify id bigint unsigned not null");
    begun();
    sql("insert into " + table + " values (7, 'small'), (18446744073709551615, 'last')");
    untilHeard(Change.inserted(7L));
    untilHeard(Change.inserted(new BigInteger("18446744073709551615")));
  }

  /** As while all values are searched for: the log is not silent then. */
  @Test
  void aBatchThatTakesLongIsNoSilenceOfTheLog() throws Exception {
    begun();
    CountDownLatch gate = heard.hold();
    insert(1);
    await()
        .pollDelay(BinlogSession.SILENCE.plusSeconds(2))
        .atMost(BinlogSession.SILENCE.multipliedBy(2))
        .untilAsserted(() -> assertThat(heard.why).isNull());
    gate.countDown();
    untilHeard(Change.inserted(1L));
    assertThat(heard.why).isNull();
  }

  /** One session can write rows that the feed cannot read. */
  @Test
  void aRowWithoutAllItsColumnsIsABeginWithoutKnowledge() throws Exception {
    begun();
    sql(
        "insert into " + table + " values (1, 'one')",
        "set session binlog_row_image = 'MINIMAL'",
        "update " + table + " set name = 'new' where id = 1");
    soon().until(() -> heard.begins.size() == 2);
    insert(2);
    untilHeard(Change.inserted(2L));
  }

  @Test
  void aServerThatRestartsIsReadOn() throws Exception {
    begun();
    restart();
    insert(1);
    untilHeard(Change.inserted(1L));
    assertThat(heard.begins).hasSize(1);
  }

  /**
   * Semi-synchronous replication without a replica logs a transaction at once, and commits it after
   * its timeout: a build that begins meanwhile does not see its row.
   */
  @Test
  void aTransactionThatIsLoggedButNotCommittedIsNotPassedOver() throws Exception {
    String log = log();
    sql(waitsForReplicas(true));
    try {
      Future<?> insertion =
          ForkJoinPool.commonPool()
              .submit(
                  () -> {
                    insert(1);
                    return null;
                  });
      soon().until(() -> !log.equals(log()));
      started(feed(false), heard);
      soon().until(() -> !heard.begins.isEmpty());
      if (!isVisible(1)) {
        untilHeard(Change.inserted(1L));
      }
      insertion.get();
    } finally {
      sql(waitsForReplicas(false));
    }
  }

  /** The statements that turn semi-synchronous replication on or off, with a timeout of 3 s. */
  abstract String[] waitsForReplicas(boolean on);

  /** A connection made anew within a transaction would have rows passed over. */
  @Test
  void aSlowReceiverKeepsItsConnection() throws Exception {
    long connection = connected();
    CountDownLatch gate = heard.hold();
    // More than the engine keeps.
    sql(rowsTo(20_000));
    await().during(Duration.ofSeconds(3)).until(() -> connection() == connection);
    gate.countDown();
    untilHeard(Change.inserted(20_000L));
    assertThat(heard.changes).hasSize(20_000);
  }

  @Test
  void aConnectionThatIsKilledIsReplaced() throws Exception {
    sql("kill " + connected());
    insert(1);
    untilHeard(Change.inserted(1L));
    assertThat(heard.begins).hasSize(1);
  }

  /** Begins, and answers with the connection by which the log is sent. */
  private long connected() throws Exception {
    long before = connection();
    begun();
    soon().until(() -> connection() > before);
    return connection();
  }

  /** The newest connection by which a log is sent; 0 for none. */
  private long connection() throws SQLException {
    return Long.parseLong(
        texts(
                "select coalesce(max(id), 0), '' from information_schema.processlist"
                    + " where command like 'Binlog Dump%'")
            .get(0)
            .trim());
  }

  /** The server keeps the old files for those who read them, and sends them nothing more. */
  @Test
  void aLogThatIsResetIsABeginWithoutKnowledge() throws Exception {
    begun();
    sql(reset());
    insert(1);
    soon().until(() -> heard.begins.size() == 2);
    insert(2);
    untilHeard(Change.inserted(2L));
  }

  /** A new file begins with what is no transaction. */
  @Test
  void itIsCompleteInANewFile() throws Exception {
    begun();
    sql("flush binary logs");
    int before = heard.completed;
    soon().until(() -> heard.completed > before + 1);
  }

  @Test
  void whatIsMissingIsNamed() throws Exception {
    assertThatThrownBy(() -> feed("shop." + table, false, "code").check())
        .hasMessageContaining("no column 'code'");
    assertNamed("binlog_format", "MIXED", "ROW");
    sql("revoke " + rights() + " on *.* from reader@'%'");
    try {
      assertThatThrownBy(() -> feed(false).check())
          .hasMessageContaining("grant " + rights() + " on *.* to 'reader'@'%';");
    } finally {
      sql("grant " + rights() + " on *.* to reader@'%'");
    }
  }

  /** That the check names the statement for a variable with another value. */
  final void assertNamed(String variable, String wrong, String right) throws SQLException {
    sql("set global " + variable + " = '" + wrong + "'");
    try {
      assertThatThrownBy(() -> feed(false).check())
          .isInstanceOf(UnreadyDatabaseException.class)
          .hasMessageContaining(variable + " of the database is '" + wrong + "'")
          .hasMessageContaining("set global " + variable + " = '" + right + "';");
    } finally {
      sql("set global " + variable + " = '" + right + "'");
    }
  }
}

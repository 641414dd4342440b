package io.bloomguard.source.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The time that a server may be silent on one connection; closed, it is as long as before. */
final class NetworkTimeout implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(NetworkTimeout.class);

  /**
   * The connection of the driver: HikariCP gives up the one whose driver says, with SQL state 0A000
   * as HSQLDB does, that it has no network timeout.
   */
  private final Connection driver;

  /** In milliseconds; negative where nothing was changed. */
  private final int before;

  private NetworkTimeout(Connection driver, int before) {
    this.driver = driver;
    this.before = before;
  }

  /** Shortens it to {@code timeout}, where the driver has one and it is longer. */
  static NetworkTimeout of(Connection connection, Duration timeout) {
    int millis = (int) Math.min(Integer.MAX_VALUE, timeout.toMillis());
    try {
      Connection driver = connection.unwrap(Connection.class);
      int before = driver.getNetworkTimeout();
      if (before == 0 || before > millis) {
        driver.setNetworkTimeout(Runnable::run, millis);
        return new NetworkTimeout(driver, before);
      }
    } catch (SQLException | RuntimeException | AbstractMethodError e) {
      log.debug("The driver has no network timeout", e);
    }
    return new NetworkTimeout(connection, -1);
  }

  @Override
  public void close() throws SQLException {
    if (before >= 0) {
      driver.setNetworkTimeout(Runnable::run, before);
    }
  }
}

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
    Connection driver = unwrapped(connection);
    return new NetworkTimeout(driver, set(driver, timeout));
  }

  private static Connection unwrapped(Connection connection) {
    try {
      return connection.unwrap(Connection.class);
    } catch (SQLException | RuntimeException | AbstractMethodError e) {
      return connection;
    }
  }

  private static int set(Connection connection, Duration timeout) {
    try {
      int before = connection.getNetworkTimeout();
      int millis = (int) Math.min(Integer.MAX_VALUE, timeout.toMillis());
      if (before == 0 || before > millis) {
        connection.setNetworkTimeout(Runnable::run, millis);
        return before;
      }
    } catch (SQLException | RuntimeException | AbstractMethodError e) {
      log.debug("The driver has no network timeout", e);
    }
    return -1;
  }

  @Override
  public void close() throws SQLException {
    if (before >= 0) {
      driver.setNetworkTimeout(Runnable::run, before);
    }
  }
}

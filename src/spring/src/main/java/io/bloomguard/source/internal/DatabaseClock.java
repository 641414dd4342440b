package io.bloomguard.source.internal;

import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The database's idea of now, as its driver reads it, beside that of this process.
 *
 * <p>The parameter of a recent query goes through the same conversion in the other direction: if
 * the driver takes the database to be in a time zone that it is not in ({@code serverTimezone}),
 * the moment lies hours off, and the query selects nothing, or all rows of those hours.
 */
final class DatabaseClock {

  private static final Logger log = LoggerFactory.getLogger(DatabaseClock.class);

  /** No zone is less than a quarter of an hour from another; clocks differ by less. */
  private static final Duration TOLERANCE = Duration.ofMinutes(5);

  private DatabaseClock() {}

  /**
   * Warns if the two differ by more than clocks do. Does nothing with a database that does not know
   * {@code localtimestamp}.
   *
   * @param source names the query, for the log
   */
  static void compare(ReadOnlyConnection database, String source) throws SQLException {
    Timestamp there = null;
    try {
      there = database.ask("select localtimestamp", null, row -> row.getTimestamp(1));
    } catch (SQLException e) {
      log.debug("The time of the database cannot be read", e);
      database.connection.rollback();
    }
    Instant here = Instant.now();
    Duration apart = there == null ? Duration.ZERO : Duration.between(here, there.toInstant());
    if (apart.abs().compareTo(TOLERANCE) > 0) {
      log.warn(
          "{}: the driver reads the database's present time as {}, but it is {} here, so {}. Driver"
              + " and database disagree on the time zone (serverTimezone, connectionTimeZone or"
              + " timezone in the URL, the session's time zone), or their clocks differ: let them"
              + " agree",
          source,
          here.plus(apart),
          here,
          apart.isNegative()
              ? "no recent row is found"
              : "rows are read as recent for hours after they changed");
    }
  }
}

package io.bloomguard.changes.internal.database;

import io.bloomguard.changes.internal.RestartingFeed;
import io.bloomguard.changes.internal.record.ChangeRecords;
import io.bloomguard.generation.ChangeReceiver;
import java.sql.SQLException;
import java.time.Duration;

/** A feed of changes from the log of a database. A failure ends engine and session. */
public final class DatabaseFeed extends RestartingFeed {

  /** The time between two attempts to become the one that reads. */
  private static final Duration TURN = Duration.ofSeconds(1);

  private final FollowedTable table;
  private final DatabaseAddress address;
  private final ChangeRecords records;

  /** Whether the last reading could not read on from where it began. */
  private boolean positionIsGone;

  /**
   * A feed that does nothing until it is started.
   *
   * @param records reads the records of the table
   */
  public DatabaseFeed(FollowedTable table, DatabaseAddress address, ChangeRecords records) {
    super(table.filter(), "the log of table '" + table.table() + "'");
    this.table = table;
    this.address = address;
    this.records = records;
  }

  /**
   * Checks what the feed needs of the database.
   *
   * @throws UnreadyDatabaseException if something is missing there
   * @throws SQLException if the database is out of reach
   */
  public void check() throws SQLException {
    try (LogSession session = open()) {
      session.check();
    }
  }

  private LogSession open() throws SQLException {
    return switch (address.product()) {
      case POSTGRESQL -> new PostgresSession(address, table);
      case MARIADB -> new BinlogSession(BinlogDialect.MARIADB, address, table);
      case MYSQL -> new BinlogSession(BinlogDialect.MYSQL, address, table);
    };
  }

  @Override
  protected void read(ChangeReceiver receiver) throws Exception {
    try (LogSession session = open()) {
      session.keep().ifPresent(receiver::retains);
      while (!session.lease()) {
        session.keep().ifPresent(receiver::retains);
        if (!table.shared()) {
          receiver.failed(
              "another process reads the log by the name '"
                  + table.slot()
                  + "'. With backend: local each process needs a source.changes.slot of its own;"
                  + " for several processes take from: kafka, or backend: redis");
        }
        if (isClosedWithin(TURN)) {
          return;
        }
      }
      // Not before: a process may wait for hours.
      session.check();
      boolean gone = positionIsGone;
      if (gone) {
        session.forget();
      }
      try {
        positionIsGone = false;
        new LogReading(table, session, records, receiver).run(gone, this::isClosedWithin);
      } catch (Exception e) {
        positionIsGone = session.isGoneBy(e);
        throw e;
      }
    }
  }

  @Override
  protected boolean isTellable(Throwable failure) {
    // What the session itself asks for concerns no row.
    return super.isTellable(failure) || failure instanceof SQLException;
  }
}

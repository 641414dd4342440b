package io.bloomguard.source.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A deadline for each fetch of one statement, the first included: a statement that yields no row in
 * its time is cancelled, and its connection aborted if that does not help.
 *
 * <p>{@code Statement.setQueryTimeout} would not do: PostgreSQL's driver ends it with the first
 * fetch, and MariaDB's counts the whole streaming of a large table.
 */
final class FetchWatch implements AutoCloseable {

  /** How long a cancelled statement may take to end before its connection is aborted. */
  private static final long CANCEL_MILLIS = 1_000;

  private static final long LONGEST_POLL_MILLIS = 1_000;

  private static final Logger log = LoggerFactory.getLogger(FetchWatch.class);

  private final Connection connection;
  private final Statement statement;
  private final Duration timeout;
  private final AtomicLong rows = new AtomicLong();
  private final CountDownLatch closed = new CountDownLatch(1);
  // A cancellation must not reach what another runs on this connection later.
  private final ReentrantLock lock = new ReentrantLock();
  private volatile boolean expired;

  /** Begins to watch. */
  FetchWatch(Statement statement, Duration timeout) throws SQLException {
    this.connection = statement.getConnection();
    this.statement = statement;
    this.timeout = timeout;
    Thread thread = new Thread(this::watch, "bloomguard-fetch-watch");
    thread.setDaemon(true);
    thread.start();
  }

  /** Notes that a row has come. Called by the thread that reads. */
  void row() {
    rows.lazySet(rows.get() + 1);
  }

  /** Whether the statement was ended because no row came in time. */
  boolean expired() {
    return expired;
  }

  /** Ends the statement. Called by any thread; may take as long as the driver does. */
  void cancel() {
    lock.lock();
    try {
      if (closed.getCount() == 0) {
        return;
      }
      statement.cancel();
    } catch (SQLException | RuntimeException e) {
      log.debug("A key query could not be cancelled", e);
    } finally {
      lock.unlock();
    }
    if (!isClosedWithin(CANCEL_MILLIS)) {
      abort();
    }
  }

  private void watch() {
    long poll = Math.max(1, Math.min(LONGEST_POLL_MILLIS, timeout.toMillis() / 4));
    long seen = 0;
    long moved = System.nanoTime();
    while (!isClosedWithin(poll)) {
      long now = System.nanoTime();
      long read = rows.get();
      if (read != seen) {
        seen = read;
        moved = now;
      } else if (now - moved > timeout.toNanos()) {
        expired = true;
        cancel();
        return;
      }
    }
  }

  private boolean isClosedWithin(long millis) {
    try {
      return closed.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private void abort() {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException | RuntimeException e) {
      log.debug("The connection of a key query could not be aborted", e);
    }
  }

  /** Ends the watch. A cancellation that does not return in time costs the connection. */
  @Override
  public void close() {
    closed.countDown();
    boolean returned = false;
    try {
      returned = lock.tryLock(CANCEL_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (returned) {
      lock.unlock();
    } else {
      abort();
    }
  }
}

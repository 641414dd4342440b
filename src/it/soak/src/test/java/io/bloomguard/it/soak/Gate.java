package io.bloomguard.it.soak;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** What the database's queries pass for each row: closed, they hang. */
public enum Gate {
  SOURCE,
  RECENT;

  /** Opens by itself, should nobody open it. */
  private static final long LONGEST_SECONDS = 60;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition opened = lock.newCondition();
  private volatile boolean closed;

  /** The function of the queries that read whole tables. */
  public static boolean passSource(long id) {
    return SOURCE.pass();
  }

  /** The function of the queries that read recent rows. */
  public static boolean passRecent(long id) {
    return RECENT.pass();
  }

  String method() {
    return Gate.class.getName() + (this == SOURCE ? ".passSource" : ".passRecent");
  }

  void close() {
    closed = true;
  }

  void open() {
    lock.lock();
    try {
      closed = false;
      opened.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private boolean pass() {
    if (!closed) {
      return true;
    }
    lock.lock();
    try {
      long left = TimeUnit.SECONDS.toNanos(LONGEST_SECONDS);
      while (closed && left > 0) {
        left = opened.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
    return true;
  }
}

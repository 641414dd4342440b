package io.bloomguard.data.internal.row;

import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.internal.writes.GatheredWrites;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The writes of one unit of work, such as a transaction, whose statements several threads may make.
 * They are open until the unit has ended.
 */
public final class RowWrites {

  /** The most keys that are gathered before their write begins. */
  private static final int MOST = 10_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final GatheredWrites writes;
  private boolean eager;
  private boolean ended;

  /**
   * The writes of a unit that has written nothing.
   *
   * @param writes gathers its keys
   * @param eager whether the write of keys begins before their statement; otherwise before the
   *     commit, or earlier if the unit reads
   */
  public RowWrites(GatheredWrites writes, boolean eager) {
    this.writes = writes;
    this.eager = eager;
  }

  /**
   * Makes the writes of a statement that is a unit of its own: its effect on the caches happens
   * before and after it.
   *
   * @param keys gathers the keys
   * @param end the end of the unit
   */
  public static void alone(GatheredWrites writes, Consumer<GatheredWrites> keys, End end) {
    try {
      keys.accept(writes);
      writes.begin();
    } finally {
      writes.end(end);
    }
  }

  /**
   * Gathers keys.
   *
   * @return false if the unit has ended, or its end is not seen
   */
  public boolean write(Consumer<GatheredWrites> keys) {
    lock.lock();
    try {
      if (!ended) {
        keys.accept(writes);
        if (eager || writes.gathered() >= MOST) {
          writes.begin();
        }
      }
      return !ended;
    } finally {
      lock.unlock();
    }
  }

  /** Begins the writes that have been gathered. */
  public void begin() {
    lock.lock();
    try {
      writes.begin();
    } finally {
      lock.unlock();
    }
  }

  /** Called before the commit: all keys are in the filters after it. */
  public void commit() {
    lock.lock();
    try {
      eager = true;
      writes.renew();
      writes.begin();
      writes.await();
    } finally {
      lock.unlock();
    }
  }

  /** Ends the unit. */
  public void end(End end) {
    lock.lock();
    try {
      ended = true;
      writes.end(end);
    } finally {
      lock.unlock();
    }
  }
}

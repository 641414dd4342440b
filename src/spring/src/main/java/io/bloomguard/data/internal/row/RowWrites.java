package io.bloomguard.data.internal.row;

import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.internal.writes.GatheredWrites;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The writes of one unit of work, such as a transaction, whose statements several threads may make.
 * They are open until the unit has ended.
 */
public final class RowWrites implements TransactionSynchronization {

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
   * @param end the end of the unit, such as {@link #endOfStatement}
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
   * {@return the end of a statement outside of the transactions that announce their commit} Within
   * the completion of one, its connection commits the statement later.
   */
  public static End endOfStatement(RowGuards guards) {
    return guards.transactions().get().isActive() ? End.UNKNOWN : End.ROLLED_BACK;
  }

  /** {@return whether the calling thread is in a transaction that announces its commit} */
  public static boolean isInTransaction() {
    return TransactionSynchronizationManager.isSynchronizationActive()
        && TransactionSynchronizationManager.isActualTransactionActive();
  }

  /**
   * Gathers keys for the transaction that Spring binds to the calling thread; false if there is
   * none.
   *
   * @param guards make the writes of a transaction
   */
  public static boolean write(RowGuards guards, Consumer<GatheredWrites> keys) {
    if (!isInTransaction()) {
      return false;
    }
    RowWrites bound = bound();
    if (bound == null) {
      bound = new RowWrites(guards.gather(), /* eager= */ false);
      bound.resume();
      TransactionSynchronizationManager.registerSynchronization(bound);
      guards.transactions().get().register(bound::commit, bound::end);
    }
    return bound.write(keys);
  }

  /** Begins what the calling thread's transaction has gathered. */
  public static void beginOfThread() {
    RowWrites bound = bound();
    if (bound != null) {
      bound.locked(bound.writes::begin);
    }
  }

  private static @Nullable RowWrites bound() {
    return (RowWrites) TransactionSynchronizationManager.getResource(RowWrites.class);
  }

  // A nested transaction has its own writes.

  @Override
  public void suspend() {
    TransactionSynchronizationManager.unbindResource(RowWrites.class);
  }

  @Override
  public void resume() {
    TransactionSynchronizationManager.bindResource(RowWrites.class, this);
  }

  @Override
  public void afterCompletion(int status) {
    TransactionSynchronizationManager.unbindResourceIfPossible(RowWrites.class);
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

  private void locked(Runnable work) {
    lock.lock();
    try {
      work.run();
    } finally {
      lock.unlock();
    }
  }

  /** Called before the commit: all keys are in the filters after it. */
  public void commit() {
    locked(
        () -> {
          eager = true;
          writes.renew();
          writes.begin();
          writes.await();
        });
  }

  /** Ends the unit. */
  public void end(End end) {
    locked(
        () -> {
          ended = true;
          writes.end(end);
        });
  }
}

package io.bloomguard.generation;

import io.bloomguard.guard.Transactions;

/**
 * A feed of the committed changes of a filter's rows, as a database's log tells of them.
 *
 * <p>It reads on threads of its own, passes each change at least once, those of one row in their
 * order, and begins again by itself after a failure.
 */
public interface ChangeFeed extends AutoCloseable {

  /**
   * Begins to read. Called once, and returns at once.
   *
   * @param receiver takes the changes
   */
  void start(ChangeReceiver receiver);

  /**
   * Asks for the transaction of the calling thread, which is about to commit.
   *
   * @return its id, as {@link Change#transaction} names it
   */
  default Transactions.Id transaction() {
    return Transactions.Id.UNKNOWN;
  }

  /** Ends the reading. Idempotent; never throws. */
  @Override
  void close();
}

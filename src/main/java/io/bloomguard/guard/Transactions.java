package io.bloomguard.guard;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the guard needs to know of the application's transactions. */
public interface Transactions {

  /** The age of a transaction whose begin nobody saw. */
  Duration UNKNOWN_AGE = Duration.ofDays(365);

  /** For applications without transactions. */
  Transactions NONE =
      new Transactions() {
        @Override
        public boolean register(Runnable beforeCommit, Completion afterCompletion) {
          return false;
        }

        @Override
        public @Nullable Duration age() {
          return null;
        }
      };

  /**
   * Hooks into the transaction of the calling thread, if there is one.
   *
   * @param beforeCommit runs before the commit; an exception from it fails the transaction
   * @param afterCompletion runs once the transaction has ended, whatever its outcome
   * @return false if no transaction is under way; neither hook runs then
   */
  boolean register(Runnable beforeCommit, Completion afterCompletion);

  /**
   * How long ago, at most, the transaction of the calling thread began: what it reads may be as old
   * as that. {@link #UNKNOWN_AGE} where only its presence is known, null where there is none.
   */
  @Nullable Duration age();

  /** Runs when a transaction has ended. */
  @FunctionalInterface
  interface Completion {

    /**
     * Called once, on the thread that ended the transaction.
     *
     * @param committed true only if it is known that the transaction committed
     */
    void completed(boolean committed);
  }
}

package io.bloomguard.guard;

/** What the guard needs to know of the application's transactions. */
public interface Transactions {

  /** For applications without transactions. */
  Transactions NONE = (beforeCommit, afterCompletion) -> false;

  /**
   * Hooks into the transaction of the calling thread, if there is one.
   *
   * @param beforeCommit runs before the commit; an exception from it fails the transaction
   * @param afterCompletion runs once the transaction has ended, whatever its outcome
   * @return false if no transaction is under way; neither hook runs then
   */
  boolean register(Runnable beforeCommit, Completion afterCompletion);

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

package io.bloomguard.guard.internal;

import io.bloomguard.guard.Transactions;
import java.util.List;

/** The feed of a filter's changes, which this application's own writes come back by. */
public interface OwnWrites {

  /** {@return whether one process takes the changes in for all that share the filter} */
  boolean isShared();

  /**
   * Asks for the transaction of the calling thread, which is about to commit.
   *
   * @return its id
   */
  Transactions.Id transaction();

  /**
   * Notes that a transaction has committed and has taken effect on keys: their changes need not be
   * taken in.
   *
   * @param transaction its id
   * @param added keys that have entered the filter, canonical and folded
   * @param changed other keys, whose entries alone were dropped
   */
  void committed(String transaction, List<String> added, List<String> changed);
}

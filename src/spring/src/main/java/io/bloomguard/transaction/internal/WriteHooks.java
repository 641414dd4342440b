package io.bloomguard.transaction.internal;

import io.bloomguard.guard.Transactions.Completion;
import io.bloomguard.guard.Transactions.End;
import org.springframework.transaction.support.TransactionSynchronization;

/** The hooks of a write in a transaction that Spring binds to a thread. */
final class WriteHooks implements TransactionSynchronization {

  private final Runnable beforeCommit;
  private final Completion afterCompletion;

  /**
   * Whether a savepoint was rolled back: work that was registered within it may be undone although
   * the transaction commits.
   */
  private boolean partlyRolledBack;

  WriteHooks(Runnable beforeCommit, Completion afterCompletion) {
    this.beforeCommit = beforeCommit;
    this.afterCompletion = afterCompletion;
  }

  @Override
  public void savepointRollback(Object savepoint) {
    partlyRolledBack = true;
  }

  @Override
  public void beforeCommit(boolean readOnly) {
    beforeCommit.run();
  }

  // Not afterCommit: it is skipped when the acknowledgement of a commit is lost.
  @Override
  public void afterCompletion(int status) {
    afterCompletion.completed(end(status));
  }

  private End end(int status) {
    return switch (status) {
      case STATUS_COMMITTED -> partlyRolledBack ? End.ROLLED_BACK : End.COMMITTED;
      case STATUS_ROLLED_BACK -> End.ROLLED_BACK;
      default -> End.UNKNOWN;
    };
  }
}

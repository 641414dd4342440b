package io.bloomguard.aop;

import io.bloomguard.guard.Transactions;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The transactions that Spring binds to the calling thread. Needs spring-tx. */
public final class SpringTransactions implements Transactions {

  /**
   * Registers with the transaction of this thread. A scope that synchronizes without a transaction
   * ({@code SUPPORTS}) is none: its statements commit one by one.
   */
  @Override
  public boolean register(Runnable beforeCommit, Completion afterCompletion) {
    if (!TransactionSynchronizationManager.isSynchronizationActive()
        || !TransactionSynchronizationManager.isActualTransactionActive()) {
      return false;
    }
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void beforeCommit(boolean readOnly) {
            beforeCommit.run();
          }

          // Not afterCommit: it is skipped when the acknowledgement of a commit is lost.
          @Override
          public void afterCompletion(int status) {
            afterCompletion.completed(status == STATUS_COMMITTED);
          }
        });
    return true;
  }
}

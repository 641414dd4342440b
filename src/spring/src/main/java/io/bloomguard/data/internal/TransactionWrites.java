package io.bloomguard.data.internal;

import io.bloomguard.data.internal.row.RowWrites;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.internal.writes.GatheredWrites;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The writes of the transaction that Spring binds to the calling thread. */
final class TransactionWrites implements TransactionSynchronization {

  private final RowWrites writes;

  private TransactionWrites(RowWrites writes) {
    this.writes = writes;
  }

  /** Whether the calling thread is in a transaction that announces its commit. */
  static boolean arePossible() {
    return TransactionSynchronizationManager.isSynchronizationActive()
        && TransactionSynchronizationManager.isActualTransactionActive();
  }

  /**
   * Gathers keys for the transaction of the calling thread; false if there is none.
   *
   * @param first makes the writes of a transaction
   */
  static boolean gather(
      Transactions transactions, Supplier<GatheredWrites> first, Consumer<GatheredWrites> keys) {
    if (!arePossible()) {
      return false;
    }
    TransactionWrites bound = bound();
    if (bound == null) {
      RowWrites writes = new RowWrites(first.get(), /* eager= */ false);
      bound = new TransactionWrites(writes);
      bound.resume();
      TransactionSynchronizationManager.registerSynchronization(bound);
      transactions.register(writes::commit, writes::end);
    }
    bound.writes.write(keys);
    return true;
  }

  /** Begins what the calling thread's transaction has gathered. */
  static void begin() {
    TransactionWrites bound = bound();
    if (bound != null) {
      bound.writes.begin();
    }
  }

  /**
   * The end of a statement's write outside of these transactions. Within the completion of one, its
   * connection commits the statement later.
   */
  static End ofStatement(Transactions transactions) {
    return transactions.isActive() ? End.UNKNOWN : End.ROLLED_BACK;
  }

  private static @Nullable TransactionWrites bound() {
    return (TransactionWrites)
        TransactionSynchronizationManager.getResource(TransactionWrites.class);
  }

  // A nested transaction has its own writes.

  @Override
  public void suspend() {
    TransactionSynchronizationManager.unbindResource(TransactionWrites.class);
  }

  @Override
  public void resume() {
    TransactionSynchronizationManager.bindResource(TransactionWrites.class, this);
  }

  @Override
  public void afterCompletion(int status) {
    TransactionSynchronizationManager.unbindResourceIfPossible(TransactionWrites.class);
  }
}

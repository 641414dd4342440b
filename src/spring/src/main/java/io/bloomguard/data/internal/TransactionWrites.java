package io.bloomguard.data.internal;

import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.internal.writes.GatheredWrites;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The writes of the transaction that Spring binds to the calling thread: gathered while it saves,
 * begun before its commit, or earlier if it reads, and open until it has completed.
 */
final class TransactionWrites implements TransactionSynchronization {

  /** The most keys that are gathered before their write begins. */
  private static final int MOST = 10_000;

  private final GatheredWrites writes;
  private boolean committing;

  private TransactionWrites(GatheredWrites writes) {
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
      bound = new TransactionWrites(first.get());
      bound.resume();
      TransactionSynchronizationManager.registerSynchronization(bound);
      transactions.register(bound::commit, bound.writes::end);
    }
    keys.accept(bound.writes);
    if (bound.committing || bound.writes.gathered() >= MOST) {
      bound.writes.begin();
    }
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

  private void commit() {
    committing = true;
    writes.renew();
    writes.begin();
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

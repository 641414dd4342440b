package io.bloomguard.data;

import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.writes.GatheredWrites;
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

  /** The writes of the current transaction, null if it has none, or there is no transaction. */
  static @Nullable TransactionWrites bound() {
    return (TransactionWrites)
        TransactionSynchronizationManager.getResource(TransactionWrites.class);
  }

  /** The writes of the current transaction, null if there is no transaction. */
  static @Nullable TransactionWrites of(Supplier<? extends BloomGuards> guards, int maxKeys) {
    if (!TransactionSynchronizationManager.isSynchronizationActive()
        || !TransactionSynchronizationManager.isActualTransactionActive()) {
      return null;
    }
    TransactionWrites bound = bound();
    if (bound == null) {
      bound = new TransactionWrites(new GatheredWrites(guards, maxKeys));
      bound.resume();
      TransactionSynchronizationManager.registerSynchronization(bound);
    }
    return bound;
  }

  /** The gathered writes. */
  GatheredWrites gathered() {
    return writes;
  }

  /** Notes that keys were gathered, whose write may begin later. */
  void changed() {
    if (committing || writes.gathered() >= MOST) {
      writes.begin();
    }
  }

  @Override
  public void beforeCommit(boolean readOnly) {
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
    writes.end(
        switch (status) {
          case STATUS_COMMITTED -> End.COMMITTED;
          case STATUS_ROLLED_BACK -> End.ROLLED_BACK;
          default -> End.UNKNOWN;
        });
  }
}

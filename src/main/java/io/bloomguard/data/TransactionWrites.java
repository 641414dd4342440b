package io.bloomguard.data;

import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.writes.GatheredWrites;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The writes of the transaction that Spring binds to the calling thread: gathered while it saves,
 * begun before its commit, or sooner where it reads, open until it has completed.
 */
final class TransactionWrites implements TransactionSynchronization {

  /** Keys that are gathered at most before their write begins. */
  private static final int MOST = 10_000;

  private final GatheredWrites writes;
  private boolean committing;

  private TransactionWrites(GatheredWrites writes) {
    this.writes = writes;
  }

  /** Those of the current transaction, null if it has none, or there is no transaction. */
  static @Nullable TransactionWrites bound() {
    return (TransactionWrites)
        TransactionSynchronizationManager.getResource(TransactionWrites.class);
  }

  /** Those of the current transaction, null if there is none. */
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

  /** Where keys are gathered. */
  GatheredWrites gathered() {
    return writes;
  }

  /** Something was gathered, which may be left for later. */
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

  // A transaction inside of this one has writes of its own.

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
    writes.close();
  }
}

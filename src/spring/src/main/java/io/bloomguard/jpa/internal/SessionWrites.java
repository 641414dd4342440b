package io.bloomguard.jpa.internal;

import io.bloomguard.data.internal.row.RowGuards;
import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.internal.PendingAdds;
import io.bloomguard.guard.internal.writes.GatheredWrites;
import org.hibernate.SessionEventListener;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.resource.transaction.spi.TransactionCoordinator;
import org.hibernate.resource.transaction.spi.TransactionObserver;
import org.hibernate.resource.transaction.spi.TransactionStatus;

/**
 * The writes of one session. They are gathered while it flushes, begun before the flush's first
 * statement, and open until its transaction has completed.
 *
 * <p>Their adds are waited for after the last flush, which Hibernate may run within the commit.
 */
final class SessionWrites implements SessionEventListener, TransactionObserver {

  private final GatheredWrites writes;
  private final Runnable onEnd;
  private final TransactionCoordinator coordinator;
  private boolean inTransaction;

  /** Whether a flush has ended since the first write. */
  private boolean hasFlushed;

  /** Whether the transaction commits, and has waited. */
  private boolean committing;

  /**
   * @param guards the guards that they are told to
   * @param onEnd runs when the session is closed
   */
  SessionWrites(SharedSessionContractImplementor session, RowGuards guards, Runnable onEnd) {
    this.writes = guards.gather(this::settle);
    this.onEnd = onEnd;
    this.coordinator = session.getTransactionCoordinator();
    session.getEventListenerManager().addListener(this);
    coordinator.addObserver(this);
  }

  /** The gathered writes. */
  GatheredWrites gathered() {
    return writes;
  }

  /**
   * Begins the write of the gathered keys.
   *
   * @throws io.bloomguard.guard.AddFailedException if it could not be stored
   */
  void begin() {
    inTransaction = coordinator.isTransactionActive();
    writes.begin();
  }

  /**
   * Waits for the copies that may lack new keys, unless that comes before the commit. Coordinators
   * of JTA do not tell every version's observers of that.
   */
  private void settle(PendingAdds adds) {
    if (!inTransaction || committing || coordinator.getTransactionCoordinatorBuilder().isJta()) {
      adds.await();
    }
  }

  /** Ends the writes of a statement outside a transaction, whose row is visible. */
  void closeUnlessInTransaction() {
    if (!inTransaction) {
      writes.end(End.COMMITTED);
    }
  }

  @Override
  public void afterBegin() {
    // The gathered keys belong to a flush.
  }

  /** Called after the flush of a commit. */
  @Override
  public void beforeCompletion() {
    writes.renew();
    committing = true;
    writes.await();
  }

  @Override
  public void afterCompletion(boolean successful, boolean delayed) {
    inTransaction = false;
    committing = false;
    writes.end(successful ? End.COMMITTED : undone());
  }

  private End undone() {
    return isLost(coordinator) ? End.UNKNOWN : End.ROLLED_BACK;
  }

  /**
   * Whether a commit failed whose connection could not roll back: it may have reached the database.
   */
  static boolean isLost(TransactionCoordinator coordinator) {
    TransactionStatus status = coordinator.getTransactionDriverControl().getStatus();
    return status == TransactionStatus.FAILED_COMMIT || status == TransactionStatus.FAILED_ROLLBACK;
  }

  /** Forgets the keys of a flush that was not carried out; the next flush gathers them again. */
  @Override
  public void flushStart() {
    writes.forget();
  }

  @Override
  public void partialFlushStart() {
    writes.forget();
  }

  /**
   * Waits after a first flush: with Hibernate 6 a session that shares another's transaction flushes
   * while the observers are told of the commit, and what joins them then is not told.
   */
  @Override
  public void flushEnd(int numberOfEntities, int numberOfCollections) {
    if (!hasFlushed) {
      hasFlushed = true;
      writes.await();
    }
    closeUnlessInTransaction();
  }

  /**
   * Ends the writes, unless the transaction outlives its session; its completion then ends them.
   */
  @Override
  public void end() {
    onEnd.run();
    if (!coordinator.isTransactionActive()) {
      writes.end(undone());
      coordinator.removeObserver(this);
    }
  }
}

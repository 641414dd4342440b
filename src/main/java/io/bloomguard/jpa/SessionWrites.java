package io.bloomguard.jpa;

import io.bloomguard.guard.writes.GatheredWrites;
import org.hibernate.SessionEventListener;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.resource.transaction.spi.TransactionCoordinator;
import org.hibernate.resource.transaction.spi.TransactionObserver;

/**
 * The writes of one session: gathered while it flushes, begun before the flush's first statement,
 * open until its transaction has completed.
 */
final class SessionWrites implements SessionEventListener, TransactionObserver {

  private final GatheredWrites writes;
  private final Runnable onEnd;
  private final TransactionCoordinator coordinator;
  private boolean inTransaction;

  /**
   * @param writes of this session alone
   * @param onEnd runs when the session is closed
   */
  SessionWrites(SharedSessionContractImplementor session, GatheredWrites writes, Runnable onEnd) {
    this.writes = writes;
    this.onEnd = onEnd;
    this.coordinator = session.getTransactionCoordinator();
    session.getEventListenerManager().addListener(this);
    coordinator.addObserver(this);
  }

  /** Where keys are gathered. */
  GatheredWrites gathered() {
    return writes;
  }

  /**
   * Begins the write of what was gathered.
   *
   * @throws io.bloomguard.guard.AddFailedException if it could not be stored
   */
  void begin() {
    inTransaction = coordinator.isTransactionActive();
    writes.begin();
  }

  /** A statement outside of a transaction has ended, and its row is visible. */
  void closeUnlessInTransaction() {
    if (!inTransaction) {
      writes.close(true);
    }
  }

  @Override
  public void afterBegin() {
    // The gathered keys belong to a flush.
  }

  @Override
  public void beforeCompletion() {
    writes.renew();
  }

  @Override
  public void afterCompletion(boolean successful, boolean delayed) {
    inTransaction = false;
    writes.close(successful);
  }

  /** Keys of a flush that was not carried out are gathered again by the next. */
  @Override
  public void flushStart() {
    writes.forget();
  }

  @Override
  public void partialFlushStart() {
    writes.forget();
  }

  @Override
  public void flushEnd(int numberOfEntities, int numberOfCollections) {
    closeUnlessInTransaction();
  }

  /** A transaction may outlive its session; its completion then ends the writes. */
  @Override
  public void end() {
    onEnd.run();
    if (!coordinator.isTransactionActive()) {
      writes.close();
      coordinator.removeObserver(this);
    }
  }
}

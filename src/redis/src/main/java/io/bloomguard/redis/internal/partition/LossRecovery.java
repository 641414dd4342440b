package io.bloomguard.redis.internal.partition;

import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.guard.AddFailedException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The recovery of a partition after a loss: adds this process' retained adds again, then rows of
 * other programs. Neither the sender of an add nor a heartbeat waits for it.
 */
final class LossRecovery implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(LossRecovery.class);

  private final String filter;
  private final PartitionAdds adds;
  private final RetainedAdds retained;
  private final long losses;
  private final boolean ofKnown;
  private final @Nullable Instant from;
  private final RecoverySettings.Refill refill;
  private final Runnable whenOver;
  private final long began = System.nanoTime();
  private boolean madeGood;
  private boolean refilled;
  private volatile boolean over;

  /**
   * Creates a recovery that has not begun.
   *
   * @param losses the loss epoch after which it adds everything again
   * @param from the start of the rows of other programs to add again; null for none
   * @param whenOver called at the end
   */
  LossRecovery(
      RedisPartition partition,
      PartitionAdds adds,
      long losses,
      @Nullable Instant from,
      RecoverySettings.Refill refill,
      Runnable whenOver) {
    this.filter = partition.filter();
    this.adds = adds;
    this.retained = partition.retained();
    this.losses = losses;
    // Only a process that has taken part before may have lost adds.
    this.ofKnown = partition.retained().settledFor() != 0;
    this.from = from;
    this.refill = refill;
    this.whenOver = whenOver;
  }

  @Override
  public void run() {
    try {
      addAgain();
      refilled = refill();
      madeGood = true;
    } catch (LostAgainException | StoreUnavailableException | AddFailedException e) {
      log.debug("Filter '{}': the recovery begins again: {}", filter, e.getMessage());
    } finally {
      over = true;
    }
    whenOver.run();
  }

  private void addAgain() {
    if (ofKnown) {
      log.warn(
          "Filter '{}': Redis may have lost writes; about {} keys of this process are added again",
          filter,
          retained.count());
    }
    retained.forEach(PartitionAdds.AT_ONCE, part -> adds.sendAgain(part, losses));
  }

  /** Returns false if some rows may be missing; only a new generation has those. */
  private boolean refill() {
    if (from == null) {
      return true;
    }
    try {
      refill.since().accept(from);
      return true;
    } catch (RuntimeException | LinkageError e) {
      log.warn(
          "Filter '{}': rows of other programs could not be added again{}: {}",
          filter,
          refill.canRebuild() ? ", so it is rebuilt" : "",
          e.getClass().getName());
      return false;
    }
  }

  long began() {
    return began;
  }

  /** Whether the recovery has ended, in success or failure. */
  boolean isOver() {
    return over;
  }

  /** Whether the recovery has succeeded for this loss epoch. Called once it is over. */
  boolean hasMadeGood(long ofLosses) {
    return madeGood && losses == ofLosses;
  }

  /** Whether it has added rows of other programs again. Called once it is over. */
  boolean refilled() {
    return refilled;
  }
}

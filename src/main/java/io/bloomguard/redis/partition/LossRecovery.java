package io.bloomguard.redis.partition;

import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.guard.AddFailedException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The adding again of what a partition lost: this process' own adds, then rows of other programs.
 * Neither the sender of an add nor a sign of life waits for it.
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
   * A recovery that has not begun.
   *
   * @param filter its name, for messages
   * @param retained what this process has added
   * @param losses after which everything is added again
   * @param ofKnown whether this process has taken part before, so that its adds may be lost
   * @param from rows of other programs since then are added again; null for none
   * @param whenOver called at the end
   */
  LossRecovery(
      String filter,
      PartitionAdds adds,
      RetainedAdds retained,
      long losses,
      boolean ofKnown,
      @Nullable Instant from,
      RecoverySettings.Refill refill,
      Runnable whenOver) {
    this.filter = filter;
    this.adds = adds;
    this.retained = retained;
    this.losses = losses;
    this.ofKnown = ofKnown;
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
      log.debug("Filter '{}': added again once more: {}", filter, e.getMessage());
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

  /** False if some rows may be missing, which then only a new generation has. */
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

  /** Whether it has ended, however it did. */
  boolean isOver() {
    return over;
  }

  /** Whether it has ended well for so many losses. Asked once it is over. */
  boolean hasMadeGood(long ofLosses) {
    return madeGood && losses == ofLosses;
  }

  /** Whether rows of other programs are there again. Asked once it is over. */
  boolean refilled() {
    return refilled;
  }
}

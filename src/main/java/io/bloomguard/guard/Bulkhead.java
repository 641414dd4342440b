package io.bloomguard.guard;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** The bound on loads that run at once in this process. */
final class Bulkhead {

  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final Semaphore permits;
  private final Semaphore trials;
  private final int size;

  Bulkhead(int size) {
    this.size = size;
    this.permits = new Semaphore(size);
    this.trials = new Semaphore(Math.max(1, size / 2));
  }

  /** Takes a place, waiting up to {@code nanos}, or throws. */
  void enter(long nanos) {
    try {
      if (permits.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw full();
  }

  boolean tryEnter() {
    return permits.tryAcquire();
  }

  void leave() {
    permits.release();
  }

  /**
   * Takes a place for the load of a rejected key. Such loads have half of the places at most: keys
   * that exist must find one while absent keys are asked for in numbers.
   */
  boolean tryEnterTrial() {
    if (!trials.tryAcquire()) {
      return false;
    }
    if (permits.tryAcquire()) {
      return true;
    }
    trials.release();
    return false;
  }

  void leaveTrial() {
    permits.release();
    trials.release();
  }

  RequestShedException full() {
    return new RequestShedException("All " + size + " places for loads are taken", RETRY_AFTER);
  }
}

package io.bloomguard.guard;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** The bound on loads that run at once in this process. */
final class Bulkhead {

  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final Semaphore permits;
  private final int size;

  Bulkhead(int size) {
    this.size = size;
    this.permits = new Semaphore(size);
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

  RequestShedException full() {
    return new RequestShedException("All " + size + " places for loads are taken", RETRY_AFTER);
  }
}

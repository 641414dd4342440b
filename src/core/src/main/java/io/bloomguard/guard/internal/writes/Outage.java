package io.bloomguard.guard.internal.writes;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The failures of one kind of one filter, of which the first is logged. Successes do not end an
 * outage: with one master of a cluster away, keys of other slots are written all the time.
 */
final class Outage {

  /** The time without a failure after which an outage is over. */
  private static final long QUIET = TimeUnit.MINUTES.toNanos(1);

  private final LongSupplier ticker;
  private final AtomicReference<@Nullable Long> last = new AtomicReference<>();

  /**
   * @param ticker monotonic nanoseconds, such as {@code System::nanoTime}
   */
  Outage(LongSupplier ticker) {
    this.ticker = ticker;
  }

  /** Notes a failure; whether it is the first of an outage. */
  boolean begins() {
    long now = ticker.getAsLong();
    Long before = last.getAndSet(now);
    return before == null || now - before > QUIET;
  }
}

package io.bloomguard.generation.internal.local;

import java.time.Duration;
import java.util.function.LongSupplier;

/** The cooldown of a filter that no other process shares. */
final class LocalCooldown {

  private final LongSupplier ticker;
  private long began;
  private Duration length = Duration.ZERO;

  /**
   * No cooldown is on yet.
   *
   * @param ticker a monotonic clock, in nanoseconds
   */
  LocalCooldown(LongSupplier ticker) {
    this.ticker = ticker;
  }

  /** The remaining cooldown, zero for none. */
  synchronized Duration left() {
    Duration rest = length.minusNanos(ticker.getAsLong() - began);
    return rest.isNegative() ? Duration.ZERO : rest;
  }

  /**
   * Starts a cooldown unless one is on; returns the remaining time of the running one, zero if this
   * one was started.
   */
  synchronized Duration start(Duration next) {
    Duration rest = left();
    if (rest.isZero()) {
      length = next;
      began = ticker.getAsLong();
    }
    return rest;
  }
}

package io.bloomguard.generation;

import java.time.Duration;
import java.util.function.LongSupplier;

/** The cooldown of a filter that no other process shares. */
final class LocalCooldown {

  private final LongSupplier ticker;
  private long began;
  private Duration length = Duration.ZERO;

  /**
   * None yet.
   *
   * @param ticker nanoseconds that only go forward
   */
  LocalCooldown(LongSupplier ticker) {
    this.ticker = ticker;
  }

  /** What is left of it, zero for none. */
  synchronized Duration left() {
    Duration rest = length.minusNanos(ticker.getAsLong() - began);
    return rest.isNegative() ? Duration.ZERO : rest;
  }

  /** Starts it unless one is on; what is left of that one, zero if this one was started. */
  synchronized Duration start(Duration next) {
    Duration rest = left();
    if (rest.isZero()) {
      length = next;
      began = ticker.getAsLong();
    }
    return rest;
  }
}

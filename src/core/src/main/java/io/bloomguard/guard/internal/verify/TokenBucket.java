package io.bloomguard.guard.internal.verify;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A bound on a rate, with a burst: a token bucket kept as the moment at which it would be full
 * again (the generic cell rate algorithm of ITU-T I.371). Takes no lock and never waits.
 */
final class TokenBucket {

  private final long interval;
  private final long depth;
  private final LongSupplier ticker;
  private final AtomicLong full;

  /**
   * A full bucket.
   *
   * @param interval nanoseconds between two tokens
   * @param burst the most tokens it holds; 0 for a bucket that never has one
   * @param ticker a monotonic clock, in nanoseconds
   */
  TokenBucket(long interval, int burst, LongSupplier ticker) {
    this.interval = interval;
    this.depth = interval * (burst - 1L);
    this.ticker = ticker;
    this.full = new AtomicLong(ticker.getAsLong());
  }

  /** A bucket that gains so many tokens a second, and holds as many. */
  static TokenBucket perSecond(int tokens, LongSupplier ticker) {
    return new TokenBucket(1_000_000_000L / Math.max(1, tokens), tokens, ticker);
  }

  /** Whether there is a token now. */
  boolean hasToken() {
    return Math.max(0, full.get() - ticker.getAsLong()) <= depth;
  }

  /** Takes a token; false if there is none. */
  boolean tryTake() {
    while (true) {
      long now = ticker.getAsLong();
      long seen = full.get();
      long lacking = Math.max(0, seen - now);
      if (lacking > depth) {
        return false;
      }
      if (full.compareAndSet(seen, now + lacking + interval)) {
        return true;
      }
    }
  }
}

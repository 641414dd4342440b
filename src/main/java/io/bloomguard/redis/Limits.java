package io.bloomguard.redis;

import java.time.Duration;

/**
 * The bounds of what a filter in Redis does by itself.
 *
 * @param maxImageBytes the longest string
 * @param lockLifetime how long the right to build outlives its holder
 * @param lifetime how long a writer that gives no sign of life counts as alive
 * @param grace how long a doubt lasts at least, so that every writer can come forward
 */
record Limits(long maxImageBytes, Duration lockLifetime, Duration lifetime, Duration grace) {

  /** The longest string of Redis, and what suits processes that call once a second. */
  static final Limits USUAL =
      new Limits(512L << 20, Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(2));

  private static final Duration LONGEST_GAP = Duration.ofMinutes(2);

  /** After a longer gap a filter with a source is built anew instead of added to. */
  Duration longestGap(Duration retention) {
    return retention.compareTo(LONGEST_GAP) < 0 ? retention : LONGEST_GAP;
  }

  Limits withMaxImageBytes(long bytes) {
    return new Limits(bytes, lockLifetime, lifetime, grace);
  }

  Limits withGrace(Duration other) {
    return new Limits(maxImageBytes, lockLifetime, lifetime, other);
  }

  Limits withLockLifetime(Duration other) {
    return new Limits(maxImageBytes, other, lifetime, grace);
  }
}

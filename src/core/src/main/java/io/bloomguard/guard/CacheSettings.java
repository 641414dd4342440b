package io.bloomguard.guard;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The lifetimes and bounds of a value cache.
 *
 * @param ttl the lifetime of values
 * @param nullTtl the lifetime of null entries
 * @param jitter each lifetime is stretched by a random factor of 1 to 1 + jitter, so that entries
 *     written together do not expire together (avalanche); 0 to 1
 * @param maxValues the bound on values in this process
 * @param maxNullEntries the bound on null entries alive at once
 * @param lease the longest time for which a lease is held
 * @param softTtl the time after which a value is due for every caller, and served while one of them
 *     loads it again: the stale-while-revalidate of RFC 5861; shorter than ttl, zero for never
 */
public record CacheSettings(
    Duration ttl,
    Duration nullTtl,
    double jitter,
    long maxValues,
    long maxNullEntries,
    Duration lease,
    Duration softTtl) {

  /**
   * The longest time that a barrier stands, for writers that died before they could lift theirs.
   */
  public static final Duration BARRIER = Duration.ofMinutes(10);

  /**
   * The time for which a cache remembers that a key was written; a transaction may read for that
   * long.
   */
  public static final Duration RECENT = BARRIER;

  /**
   * The longest lifetime that may be set: far from the 292 years past which a long cannot count the
   * nanoseconds.
   */
  public static final Duration LONGEST = Duration.ofDays(3_650);

  /** {@return whether values are loaded again before they expire} */
  public boolean refreshes() {
    return !softTtl.isZero();
  }

  /** {@return the lifetime of the next value, stretched at random} */
  public Duration nextTtl() {
    return jittered(ttl);
  }

  /** {@return the lifetime of the next null entry, stretched at random} */
  public Duration nextNullTtl() {
    return jittered(nullTtl);
  }

  /**
   * {@return the time for which a value of that {@code lifetime} is past its soft limit; zero
   * without one}
   *
   * @param lifetime a lifetime that {@link #nextTtl} has returned
   */
  public Duration staleTime(Duration lifetime) {
    if (!refreshes()) {
      return Duration.ZERO;
    }
    double share = 1 - (double) softTtl.toNanos() / ttl.toNanos();
    return Duration.ofNanos((long) (lifetime.toNanos() * share));
  }

  private Duration jittered(Duration base) {
    if (jitter == 0) {
      return base;
    }
    double factor = 1 + jitter * ThreadLocalRandom.current().nextDouble();
    return Duration.ofNanos((long) (base.toNanos() * factor));
  }
}

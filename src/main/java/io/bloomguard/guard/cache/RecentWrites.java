package io.bloomguard.guard.cache;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * When keys were written last, in a fixed amount of memory.
 *
 * <p>Keys share slots by their hash, so a key may seem written when another was. That costs a load
 * inside of a transaction its place in the cache, and nothing else.
 */
final class RecentWrites {

  /** 128 KB for each cache. */
  private static final int SLOTS = 1 << 14;

  private final AtomicLongArray ticks;

  /**
   * @param never a tick before which no write is asked for
   */
  RecentWrites(long never) {
    long[] slots = new long[SLOTS];
    Arrays.fill(slots, never);
    ticks = new AtomicLongArray(slots);
  }

  /** Notes a write, unless a later one is noted: ends of writes may arrive out of order. */
  void note(String key, long tick) {
    ticks.accumulateAndGet(slot(key), tick, RecentWrites::later);
  }

  /** Ticks may wrap around. */
  private static long later(long one, long other) {
    return one - other < 0 ? other : one;
  }

  /** The tick of the last write of {@code key}, or of a later one of another. */
  long last(String key) {
    return ticks.get(slot(key));
  }

  private static int slot(String key) {
    // Its upper bits are the well mixed ones.
    return key.hashCode() * 0x9E3779B9 >>> Integer.SIZE - 14;
  }
}

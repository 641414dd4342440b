package io.bloomguard.guard.internal.cache;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The times of the last writes of keys, in a fixed amount of memory.
 *
 * <p>Keys share slots by their hash, so a write of one key may count for another. Then a load
 * inside a transaction is not cached; it has no other effect.
 */
final class RecentWrites {

  /** 128 KB for each cache. */
  private static final int SLOTS = 1 << 14;

  private final AtomicLongArray ticks;

  /**
   * @param never a tick earlier than any that callers ask for
   */
  RecentWrites(long never) {
    long[] slots = new long[SLOTS];
    Arrays.fill(slots, never);
    ticks = new AtomicLongArray(slots);
  }

  /** Notes a write, unless a later one is noted already: ends of writes may arrive out of order. */
  void note(String key, long tick) {
    ticks.accumulateAndGet(slot(key), tick, RecentWrites::later);
  }

  /** Notes a write of every key. */
  void noteAll(long tick) {
    for (int slot = 0; slot < SLOTS; slot++) {
      ticks.accumulateAndGet(slot, tick, RecentWrites::later);
    }
  }

  /** Ticks may wrap around. */
  private static long later(long one, long other) {
    return one - other < 0 ? other : one;
  }

  /** The tick of the last write of {@code key}, or of a later write of another key. */
  long last(String key) {
    return ticks.get(slot(key));
  }

  private static int slot(String key) {
    // The upper bits of the product are the well mixed ones.
    return key.hashCode() * 0x9E3779B9 >>> Integer.SIZE - 14;
  }
}

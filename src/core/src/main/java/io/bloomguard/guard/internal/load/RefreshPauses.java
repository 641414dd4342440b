package io.bloomguard.guard.internal.load;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * The pauses between refreshes of a value, in a fixed amount of memory: the next caller does not
 * retry a refresh that failed or that another process was doing.
 *
 * <p>Keys share slots by their hash, so one key may wait for another's pause. That bounds the
 * refreshes of all keys together, to {@link #SLOTS} in each pause.
 */
public final class RefreshPauses {

  public static final Duration PAUSE = Duration.ofSeconds(1);

  /** 8 KB for each cache. */
  static final int SLOTS = 1 << 10;

  private final LongSupplier ticks;
  private final AtomicLongArray ends;

  RefreshPauses(LongSupplier ticks) {
    this.ticks = ticks;
    long[] slots = new long[SLOTS];
    Arrays.fill(slots, ticks.getAsLong());
    ends = new AtomicLongArray(slots);
  }

  /** Whether a caller may try to refresh the value of {@code key} now. */
  boolean isOver(String key) {
    return ticks.getAsLong() - ends.get(slot(key)) >= 0;
  }

  void begin(String key) {
    ends.set(slot(key), ticks.getAsLong() + PAUSE.toNanos());
  }

  void end(String key) {
    ends.set(slot(key), ticks.getAsLong());
  }

  private static int slot(String key) {
    // The upper bits of the product are the well mixed ones.
    return key.hashCode() * 0x9E3779B9 >>> Integer.SIZE - 10;
  }
}

package io.bloomguard.changes.internal.kafka;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How much longer than usual records have been under way: a connector that cannot reach Kafka for a
 * while holds them, and what it sends then tells nothing of the present.
 *
 * <p>The usual time, which the difference of two clocks is part of, is the shortest of the last
 * minute or two. Until ten seconds are known, the clocks are taken to agree.
 */
final class Lateness {

  static final long SPAN_NANOS = TimeUnit.SECONDS.toNanos(60);
  static final long LEARN_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final LongSupplier ticker;
  private final LongSupplier wall;
  private boolean begun;
  private long first;
  private long spanBegan;
  private long shortest = Long.MAX_VALUE;
  private long shortestBefore = Long.MAX_VALUE;

  /**
   * @param ticker nanoseconds that only grow
   * @param wall milliseconds since 1970
   */
  Lateness(LongSupplier ticker, LongSupplier wall) {
    this.ticker = ticker;
    this.wall = wall;
  }

  /**
   * The lateness of a record that arrives now.
   *
   * @param created milliseconds since 1970 by the clock of the program that wrote it; negative if
   *     that is not told
   * @return nanoseconds, 0 or more
   */
  long nanosOf(long created) {
    if (created < 0) {
      return 0;
    }
    long now = ticker.getAsLong();
    long taken = wall.getAsLong() - created;
    if (!begun) {
      begun = true;
      first = now;
      spanBegan = now;
    } else if (now - spanBegan > SPAN_NANOS) {
      spanBegan = now;
      shortestBefore = shortest;
      shortest = Long.MAX_VALUE;
    }
    shortest = Math.min(shortest, taken);
    long usual = Math.min(shortest, shortestBefore);
    long expected = now - first < LEARN_NANOS ? Math.min(usual, 0) : usual;
    return TimeUnit.MILLISECONDS.toNanos(taken - expected);
  }
}

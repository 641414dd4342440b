package io.bloomguard.it.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Which rows there are: those from the beginning, and those whose insert was acknowledged. */
final class Model {

  /** The most rows that are inserted: half of what the filter is made for. */
  private static final int MOST = 100_000;

  private static final long FIRST_INSERT = 1_000_000;
  private static final long FIRST_ABSENT = 1_000_000_000_000L;

  private final AtomicLong next = new AtomicLong(FIRST_INSERT);
  private final List<Long> acknowledged = new ArrayList<>();

  /** A number that no row has. */
  long fresh() {
    return next.getAndIncrement();
  }

  synchronized boolean isFull() {
    return acknowledged.size() >= MOST;
  }

  synchronized void acknowledge(List<Long> ids) {
    acknowledged.addAll(ids);
  }

  synchronized int size() {
    return acknowledged.size();
  }

  /** Any row, and every other time one of the latest. */
  synchronized long known(Random random) {
    int size = acknowledged.size();
    if (size == 0 || random.nextInt(3) == 0) {
      return 1 + random.nextLong(Database.FIRST_ROWS);
    }
    int among = random.nextBoolean() ? Math.min(size, 100) : size;
    return acknowledged.get(size - 1 - random.nextInt(among));
  }

  static long absent(Random random) {
    return FIRST_ABSENT + random.nextLong(FIRST_ABSENT);
  }
}

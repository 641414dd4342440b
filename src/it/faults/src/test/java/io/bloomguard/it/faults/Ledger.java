package io.bloomguard.it.faults;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Which keys must not be rejected, and where others come from. */
final class Ledger {

  private static final long FIRST_INSERT = 1_000_000;
  static final long FIRST_ABSENT = 1_000_000_000_000L;

  private final AtomicLong nextInsert = new AtomicLong(FIRST_INSERT);
  private final AtomicLong nextCold = new AtomicLong(1);
  private final List<Long> acknowledged = new ArrayList<>();

  /** A key that nobody used yet. */
  long fresh() {
    return nextInsert.incrementAndGet();
  }

  /** A row from the beginning that nobody loaded yet; from the first again after the last. */
  long cold() {
    return Math.floorMod(nextCold.getAndIncrement(), Database.FIRST_ROWS) + 1;
  }

  synchronized void acknowledge(long id) {
    acknowledged.add(id);
  }

  synchronized int size() {
    return acknowledged.size();
  }

  /** Keys that were acknowledged most recently, fewer if there are not so many. */
  synchronized List<Long> latest(int count) {
    int size = acknowledged.size();
    return List.copyOf(acknowledged.subList(Math.max(0, size - count), size));
  }

  /** Any acknowledged keys or first rows. */
  synchronized List<Long> known(int count, Random random) {
    List<Long> known = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      known.add(
          i % 2 == 0 && !acknowledged.isEmpty()
              ? acknowledged.get(random.nextInt(acknowledged.size()))
              : 1 + random.nextLong(Database.FIRST_ROWS));
    }
    return known;
  }

  static List<Long> absent(int count, Random random) {
    List<Long> absent = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      absent.add(FIRST_ABSENT + random.nextLong(FIRST_ABSENT));
    }
    return absent;
  }
}

package io.bloomguard.console.internal;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.guard.DeniedKeyListener;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The most frequent prefixes of denied keys: a sketch of 16 KiB, from which no prefix can be read.
 *
 * <p>It counts the first four characters of a key, under the name of their hash by an unknown
 * secret that ends with the process. Two rows of counters, as in Lu Tang, Qun Huang and Patrick P.
 * C. Lee, "MV-Sketch: A Fast and Compact Invertible Sketch for Heavy Flow Detection in Network Data
 * Streams" (INFOCOM 2019): each counter has a total, and a name that won the majority vote among
 * the names that it counts. So a name's count is overestimated, by about the total over the number
 * of counters in a row.
 *
 * <p>A key costs a hash and four atomic updates, and no object if it is text or a number.
 */
final class PrefixSketch implements DeniedKeyListener {

  /** The characters that are distinguished. */
  static final int LENGTH = 4;

  /**
   * The bits of a character. Four characters fit into a number, whose hash needs no object; rare
   * characters share their bits with others.
   */
  private static final int CHARACTER_BITS = 13;

  private static final int ROWS = 2;
  private static final int COLUMN_BITS = 9;
  private static final int COLUMNS = 1 << COLUMN_BITS;

  /** The least share that is shown; far above the sketch's overestimate. */
  private static final double LEAST = 0.01;

  private static final int MOST = 10;

  private final KeyHasher hasher = SipHash.oneThree(HashSecret.random());
  private final AtomicLongArray totals = new AtomicLongArray(ROWS * COLUMNS);

  // The name in the upper half, its lead in the vote in the lower half.
  private final AtomicLongArray votes = new AtomicLongArray(ROWS * COLUMNS);

  @Override
  public void onDenied(Object key) {
    int name = nameOf(key);
    for (int row = 0; row < ROWS; row++) {
      int counter = counter(row, name);
      totals.incrementAndGet(counter);
      vote(counter, name);
    }
  }

  private void vote(int counter, int name) {
    long seen;
    long voted;
    do {
      seen = votes.get(counter);
      int lead = (int) seen;
      if (lead == 0) {
        voted = ballot(name, 1);
      } else {
        int leader = (int) (seen >>> Integer.SIZE);
        voted = ballot(leader, leader == name ? lead + 1 : lead - 1);
      }
    } while (!votes.compareAndSet(counter, seen, voted));
  }

  /** Halves all counts, so that old keys fade. */
  void age() {
    for (int counter = 0; counter < ROWS * COLUMNS; counter++) {
      totals.updateAndGet(counter, total -> total / 2);
      votes.updateAndGet(counter, seen -> ballot((int) (seen >>> Integer.SIZE), (int) seen / 2));
    }
  }

  /** The number of keys that count now. */
  long total() {
    long sum = 0;
    for (int column = 0; column < COLUMNS; column++) {
      sum += totals.get(column);
    }
    return sum;
  }

  /** The most frequent prefixes, most frequent first. */
  List<Prefix> top() {
    double total = Math.max(1, total());
    Map<Integer, Double> shares = new TreeMap<>();
    for (int counter = 0; counter < ROWS * COLUMNS; counter++) {
      long seen = votes.get(counter);
      if ((int) seen > 0) {
        int name = (int) (seen >>> Integer.SIZE);
        shares.put(name, Math.min(1, estimate(name) / total));
      }
    }
    return shares.entrySet().stream()
        .filter(entry -> entry.getValue() >= LEAST)
        .map(entry -> new Prefix(text(entry.getKey()), entry.getValue()))
        .sorted(Comparator.comparingDouble(Prefix::share).reversed())
        .limit(MOST)
        .toList();
  }

  /** The name under which the prefix of {@code key} is counted. */
  String name(Object key) {
    return text(nameOf(key));
  }

  private long estimate(int name) {
    long least = Long.MAX_VALUE;
    for (int row = 0; row < ROWS; row++) {
      int counter = counter(row, name);
      long seen = votes.get(counter);
      int lead = (int) (seen >>> Integer.SIZE) == name ? (int) seen : -(int) seen;
      least = Math.min(least, (totals.get(counter) + lead) / 2);
    }
    return least;
  }

  private int nameOf(Object key) {
    return (int) (hasher.hash(prefix(key)) >>> Integer.SIZE);
  }

  private static int counter(int row, int name) {
    return row * COLUMNS + (name >>> row * COLUMN_BITS & COLUMNS - 1);
  }

  private static long ballot(int name, int lead) {
    return (long) name << Integer.SIZE | lead & 0xffffffffL;
  }

  private static String text(int name) {
    return HexFormat.of().toHexDigits(name);
  }

  /** The first characters of the canonical key. */
  static long prefix(Object key) {
    if (key instanceof Long || key instanceof Integer) {
      return prefix(((Number) key).longValue());
    }
    String text = CanonicalKey.of(key);
    long prefix = 0;
    for (int i = 0; i < Math.min(LENGTH, text.length()); i++) {
      prefix = append(prefix, text.charAt(i));
    }
    return prefix;
  }

  /** The first characters of a number's decimal form. */
  private static long prefix(long number) {
    long prefix = number < 0 ? '-' : 0;
    // Negative numbers have room for every absolute value.
    long rest = number < 0 ? number : -number;
    long bound = number < 0 ? -1_000 : -10_000;
    while (rest <= bound * 10_000) {
      rest /= 10_000;
    }
    while (rest <= bound) {
      rest /= 10;
    }
    long unit = 1;
    while (rest / unit <= -10) {
      unit *= 10;
    }
    for (; unit > 0; unit /= 10) {
      prefix = append(prefix, (char) ('0' - rest / unit % 10));
    }
    return prefix;
  }

  private static long append(long prefix, char next) {
    int bits = (next ^ next >>> CHARACTER_BITS) & (1 << CHARACTER_BITS) - 1;
    return prefix << CHARACTER_BITS | bits;
  }

  /**
   * A prefix of denied keys.
   *
   * @param name eight hex digits, the same for the same prefix as long as the process lives
   * @param share its share of all denied keys, 0 to 1, possibly overestimated
   */
  record Prefix(String name, double share) {}
}

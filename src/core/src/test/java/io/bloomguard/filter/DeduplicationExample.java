package io.bloomguard.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.bloomguard.filter.internal.BlockedFilter;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Ten million words of 4 to 12 lower-case letters, deduplicated by a filter and exactly.
 *
 * <p>No part of the usual run: {@code mvn -B -ntp test -Dtest=DeduplicationExample}.
 */
class DeduplicationExample {

  private static final int WORDS = 10_000_000;
  private static final int SHORTEST = 4;
  private static final int LONGEST = 12;
  private static final long SEED = 20;

  @Test
  void tenMillionWords() {
    long exact = distinct();
    for (double p : new double[] {0.01, 0.001, 0.0001}) {
      FilterShape shape = Sizing.shape(Layout.BLOCKED, WORDS, p);
      BlockedFilter filter =
          new BlockedFilter(
              shape, SipHash.oneThree(HashSecret.parse("000102030405060708090a0b0c0d0e0f")));
      SplittableRandom random = new SplittableRandom(SEED);
      long begin = System.nanoTime();
      long heard = 0;
      for (int i = 0; i < WORDS; i++) {
        if (filter.add(text(word(random)))) {
          heard++;
        }
      }
      double seconds = (System.nanoTime() - begin) / 1e9;
      double error = (double) (exact - heard) / exact;
      double expected = mean(shape, exact);
      print(shape, exact, heard, error, expected, seconds);
      assertThat(heard).as("no word is new twice").isLessThanOrEqualTo(exact);
      double noise = 5 * Math.sqrt(expected / exact);
      assertThat(error).isCloseTo(expected, within(noise + 0.05 * expected));
    }
  }

  /** The share of words that find all their bits set, over the time in which the filter fills. */
  private static double mean(FilterShape shape, long keys) {
    int steps = 200;
    double sum = 0;
    for (int i = 0; i < steps; i++) {
      sum += shape.falsePositiveProbabilityAt((long) ((i + 0.5) * keys / steps));
    }
    return sum / steps;
  }

  /** Exactly, by sorting: a word is five bits a letter in one long. */
  private static long distinct() {
    SplittableRandom random = new SplittableRandom(SEED);
    long[] words = new long[WORDS];
    for (int i = 0; i < WORDS; i++) {
      words[i] = word(random);
    }
    Arrays.sort(words);
    long distinct = 1;
    for (int i = 1; i < WORDS; i++) {
      if (words[i] != words[i - 1]) {
        distinct++;
      }
    }
    return distinct;
  }

  /** Every length is as likely as every other, and so is every letter. */
  private static long word(SplittableRandom random) {
    int length = random.nextInt(SHORTEST, LONGEST + 1);
    long word = 0;
    for (int i = 0; i < length; i++) {
      word = word << 5 | random.nextInt(1, 27);
    }
    return word;
  }

  private static String text(long word) {
    StringBuilder letters = new StringBuilder(LONGEST);
    for (long rest = word; rest != 0; rest >>>= 5) {
      letters.append((char) ('a' - 1 + (rest & 31)));
    }
    return letters.toString();
  }

  @SuppressWarnings("SystemOut") // It is run for this.
  private static void print(
      FilterShape shape, long exact, long heard, double error, double expected, double seconds) {
    System.out.printf(
        Locale.ROOT,
        "%,d words, %,d distinct; p %s, %.2f MiB: %,d were new, %,d taken for known, %.6f %%"
            + " (expected %.6f %%), %.1f s%n",
        WORDS,
        exact,
        shape.falsePositiveProbability(),
        shape.sizeBytes() / (double) (1 << 20),
        heard,
        exact - heard,
        100 * error,
        100 * expected,
        seconds);
  }
}

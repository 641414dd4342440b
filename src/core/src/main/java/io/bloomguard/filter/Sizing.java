package io.bloomguard.filter;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongToDoubleFunction;

/**
 * The calculation of a filter's dimensions from the keys that it must hold, and back.
 *
 * <p>n is the number of distinct keys, p the false-positive probability, m the bits, k the bits of
 * one key. The classic formulas are those of Bloom's filter without blocks, as in Broder and
 * Mitzenmacher, "Network Applications of Bloom Filters: A Survey" (2004). A {@link FilterPlan}
 * splits a filter in partitions.
 */
public final class Sizing {

  /** The default block size: a cache line. */
  public static final int DEFAULT_BLOCK_WORDS = 8;

  private static final double LN_2 = Math.log(2);

  /** The most that small blocks may cost: their bits over those of a filter without blocks. */
  private static final double MOST_BITS = 4.0 / 3;

  /** The number of keys for which sizes are compared; they do not depend on it. */
  private static final long MANY = 1_000_000;

  /** The most keys of a capacity; a filter that scales never exceeds its p. */
  private static final long MAX_CAPACITY = 1L << 62;

  private Sizing() {}

  /**
   * {@return the dimensions of a filter for n keys at p}
   *
   * @param layout the arrangement of a key's bits
   * @param expectedInsertions n, the distinct keys, at least 1
   * @param falsePositiveProbability p, the false-positive probability at n keys, within (0, 1)
   * @throws IllegalArgumentException if n is less than 1, p is not within (0, 1), or the filter
   *     would have more than {@link FilterSize#MAX_BITS} bits
   */
  public static FilterShape shape(
      Layout layout, long expectedInsertions, double falsePositiveProbability) {
    return shape(
        layout,
        expectedInsertions,
        falsePositiveProbability,
        layout.inBlocks() ? DEFAULT_BLOCK_WORDS : 0);
  }

  /**
   * {@return the dimensions of a filter for n keys at p, with blocks of a size}
   *
   * @param layout the arrangement of a key's bits
   * @param expectedInsertions n, the distinct keys, at least 1
   * @param falsePositiveProbability p, the false-positive probability at n keys, within (0, 1)
   * @param blockWords runs of 64 positions in a block: 1, 2, 4 or 8; 0 for a layout without blocks
   * @throws IllegalArgumentException as for {@link #shape(Layout, long, double)}
   */
  public static FilterShape shape(
      Layout layout, long expectedInsertions, double falsePositiveProbability, int blockWords) {
    return switch (layout) {
      case BLOCKED, COUNTING ->
          inBlocks(layout, expectedInsertions, falsePositiveProbability, blockWords);
      case GUAVA -> guava(expectedInsertions, falsePositiveProbability);
      case CLASSIC -> classic(expectedInsertions, falsePositiveProbability);
    };
  }

  /**
   * {@return the smallest blocked filter for n keys at p that is at most half full with them}
   *
   * @param n the distinct keys, at least 1
   * @param p the false-positive probability, within (0, 1)
   * @param blockWords 64-bit words in a block: 1, 2, 4 or 8
   * @throws IllegalArgumentException as for {@link #shape}
   */
  public static FilterShape blocked(long n, double p, int blockWords) {
    return inBlocks(Layout.BLOCKED, n, p, blockWords);
  }

  /**
   * {@return the fewest 64-bit words of a block that do not cost a third more bits than a filter
   * without blocks, for stores that read each word on its own, such as Redis}
   *
   * @param p the false-positive probability, within (0, 1)
   * @throws IllegalArgumentException if p is not within (0, 1)
   */
  public static int fewestBlockWords(double p) {
    double most = MOST_BITS * classicBits(MANY, p);
    int words = 1;
    while (words < DEFAULT_BLOCK_WORDS && blocked(MANY, p, words).bits() > most) {
      words *= 2;
    }
    return words;
  }

  private static FilterShape inBlocks(Layout layout, long n, double p, int blockWords) {
    FilterShape.requireTarget(n, p);
    FilterShape.requireBlockWords(blockWords);
    int blockBits = blockWords * 64;
    BlockedMath.BlockLoad load = BlockedMath.bestLoad(blockBits, p);
    double blocks = Math.ceil(n / load.keys());
    requireFits(blocks * blockWords * layout.counterBits(), n, p);
    return new FilterShape(layout, n, p, ((long) blocks) * blockBits, blockWords, load.hashes());
  }

  /**
   * {@return the keys that a filter of these dimensions holds before it exceeds {@code p}; 0 for
   * none}
   *
   * @param shape the dimensions
   * @param p the false-positive probability to keep, within (0, 1)
   */
  public static long capacity(FilterShape shape, double p) {
    FilterShape.requireTarget(1, p);
    return lastWithin(p, shape::falsePositiveProbabilityAt);
  }

  /** The most keys with which the probability, which grows with them, is at most {@code p}. */
  static long lastWithin(double p, LongToDoubleFunction probability) {
    long low = 0;
    long high = 1;
    while (high < MAX_CAPACITY && probability.applyAsDouble(high) <= p) {
      low = high;
      high *= 2;
    }
    while (high - low > 1) {
      long middle = (low + high) >>> 1;
      if (probability.applyAsDouble(middle) <= p) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * {@return m for n keys at p with the best k, without blocks: -n ln p / (ln 2)^2, rounded up}
   *
   * @param n the distinct keys, at least 1
   * @param p the false-positive probability, within (0, 1)
   */
  public static long classicBits(long n, double p) {
    FilterShape.requireTarget(n, p);
    return (long) Math.ceil(-n * Math.log(p) / (LN_2 * LN_2));
  }

  /**
   * {@return m / n at p with the best k, without blocks: -ln p / (ln 2)^2}
   *
   * @param p the false-positive probability, within (0, 1)
   */
  public static double classicBitsPerKey(double p) {
    FilterShape.requireTarget(1, p);
    return -Math.log(p) / (LN_2 * LN_2);
  }

  /**
   * {@return the best k for n keys in m bits, without blocks, not rounded: m / n ln 2}
   *
   * @param n the distinct keys, at least 1
   * @param bits m, at least 1
   */
  public static double optimalHashes(long n, long bits) {
    FilterShape.requireTarget(n, 0.5);
    return (double) bits / n * LN_2;
  }

  /**
   * {@return the best whole k for n keys in m bits, without blocks: the neighbour of {@link
   * #optimalHashes} with the lower p, at least 1}
   *
   * @param n the distinct keys, at least 1
   * @param bits m, at least 1
   */
  public static int classicHashes(long n, long bits) {
    int fewer = (int) Math.max(1, Math.floor(optimalHashes(n, bits)));
    return classicFalsePositiveProbability(n, bits, fewer)
            <= classicFalsePositiveProbability(n, bits, fewer + 1)
        ? fewer
        : fewer + 1;
  }

  /**
   * {@return p with n keys in m bits, without blocks: (1 - e^(-kn/m))^k, the limit for many bits}
   *
   * @param n the distinct keys in the filter
   * @param bits m, at least 1
   * @param hashes k, at least 1
   */
  public static double classicFalsePositiveProbability(long n, long bits, int hashes) {
    return Math.pow(-Math.expm1(-(double) hashes * n / bits), hashes);
  }

  /**
   * {@return p with n keys in m bits, without blocks, before the limit: (1 - (1 - 1/m)^(kn))^k}
   *
   * <p>Its fill ratio is exact; its power assumes that bits are independent, which is nearly true:
   * Bose et al., "On the False-Positive Rate of Bloom Filters" (2008), bound the error.
   *
   * @param n the distinct keys in the filter
   * @param bits m, at least 1
   * @param hashes k, at least 1
   */
  public static double exactFalsePositiveProbability(long n, long bits, int hashes) {
    return Math.pow(-Math.expm1((double) hashes * n * Math.log1p(-1.0 / bits)), hashes);
  }

  /**
   * {@return p of a filter that was made for half its bits to be set, with {@code times} as many
   * keys as it was made for, without blocks: (1 - 0.5^t)^k}
   *
   * @param times t, the keys in the filter over those it was made for
   * @param hashes k, a whole number or the best one, log2(1/p)
   */
  public static double overloadedFalsePositiveProbability(double times, double hashes) {
    return Math.pow(-Math.expm1(-times * LN_2), hashes);
  }

  /**
   * {@return n at which k hashes set half of m positions, the classic optimum; at least 1}
   *
   * @param positions m, which need not be whole
   * @param hashes k, at least 1
   */
  public static long halfFull(double positions, int hashes) {
    return Math.max(1, (long) (positions * LN_2 / Math.max(1, hashes)));
  }

  /**
   * {@return the dimensions of another program's filter, whose bits are given: p follows from n}
   *
   * @param n the distinct keys, at least 1
   * @param bits m, as configured
   * @param hashes k
   * @param reachable the positions that hashes reach
   * @throws IllegalArgumentException naming the value and the rule it breaks
   */
  public static FilterShape given(long n, long bits, int hashes, long reachable) {
    FilterShape any = new FilterShape(Layout.CLASSIC, n, 0.5, bits, 0, hashes, reachable);
    double p = any.falsePositiveProbabilityAt(n);
    double within = Math.max(Double.MIN_NORMAL, Math.min(Math.nextDown(1.0), p));
    return new FilterShape(Layout.CLASSIC, n, within, bits, 0, hashes, reachable);
  }

  /**
   * {@return n that m bits hold at p with the best k, without blocks: -m (ln 2)^2 / ln p, rounded
   * down}
   *
   * @param bits m, at least 1
   * @param p the false-positive probability, within (0, 1)
   */
  public static long classicCapacity(long bits, double p) {
    FilterShape.requireTarget(1, p);
    return (long) (-bits * LN_2 * LN_2 / Math.log(p));
  }

  /**
   * {@return the sizes of a filter for n keys in each layout, the classic one first, then those of
   * the backends with sizes of their own, however large}
   *
   * @param n the distinct keys
   * @param p the false-positive probability at n keys
   * @throws IllegalArgumentException if n is less than 1, p is not within (0, 1), Guava makes no
   *     such filter, or one would have more than {@link FilterSize#MAX_BITS} bits
   */
  public static List<FilterSize> sizes(long n, double p) {
    List<FilterSize> sizes = new ArrayList<>();
    sizes.add(FilterSize.classic(n, p));
    for (Layout layout : Layout.values()) {
      if (layout != Layout.CLASSIC) {
        sizes.add(FilterSize.of(layout, n, p));
      }
    }
    sizes.add(FilterSize.redis(n, p));
    sizes.add(FilterSize.redisBloom(n, p));
    return List.copyOf(sizes);
  }

  /**
   * {@return the bytes of n keys of a length: the least size of an exact set}
   *
   * @param n the distinct keys
   * @param keyBytes the length of each key, in bytes
   * @throws IllegalArgumentException if n or the length is less than 1, or the product more than a
   *     {@code long} holds
   */
  public static long exactSetBytes(long n, long keyBytes) {
    FilterShape.requireTarget(n, 0.5);
    if (keyBytes < 1) {
      throw new IllegalArgumentException(
          "The length of a key is " + keyBytes + " bytes, but must be at least 1");
    }
    try {
      return Math.multiplyExact(n, keyBytes);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "A set of "
              + n
              + " keys of "
              + keyBytes
              + " bytes would have more than "
              + Long.MAX_VALUE
              + " bytes",
          e);
    }
  }

  /**
   * Reads a whole number, also one such as {@code 1e10}.
   *
   * @param text the digits, with an exponent or without
   * @return the number
   * @throws NumberFormatException if the text is none, or more than a {@code long} holds
   */
  public static long wholeNumber(String text) {
    try {
      return new BigDecimal(text).longValueExact();
    } catch (ArithmeticException e) {
      throw new NumberFormatException(e.getMessage());
    }
  }

  /**
   * {@return the keys that one of several partitions must have room for: its share, and four
   * standard deviations, because a hash distributes them}
   *
   * @param n the distinct keys of all partitions
   * @param partitions the number of partitions, at least 1
   */
  public static long partitionInsertions(long n, int partitions) {
    if (partitions == 1) {
      return n;
    }
    double share = (double) n / partitions;
    return (long) Math.ceil(share + 4 * Math.sqrt(share));
  }

  private static FilterShape guava(long n, double p) {
    double words = Math.ceil(guavaBits(n, p) / 64);
    requireFits(words, n, p);
    return new FilterShape(Layout.GUAVA, n, p, ((long) words) * 64, 0, guavaHashes(p));
  }

  /** m by the formula of Guava's {@code BloomFilter.create}, to the letter; it rounds m down. */
  static double guavaBits(long n, double p) {
    FilterShape.requireTarget(n, p);
    double bits = Math.floor(-n * Math.log(p) / (LN_2 * LN_2));
    if (bits < 1) {
      throw new IllegalArgumentException(
          "Guava makes no filter for "
              + n
              + " keys at a false-positive probability of "
              + p
              + ": it would have less than 1 bit");
    }
    return bits;
  }

  /** k by the formula of Guava's {@code BloomFilter.create}. */
  static int guavaHashes(double p) {
    return Math.max(1, (int) Math.round(-Math.log(p) / LN_2));
  }

  private static FilterShape classic(long n, double p) {
    double words = Math.ceil((double) classicBits(n, p) / 64);
    requireFits(words, n, p);
    long bits = ((long) words) * 64;
    // Rounded up, as RedisBloom and its kin do.
    int hashes = (int) Math.ceil(-Math.log(p) / LN_2);
    return new FilterShape(Layout.CLASSIC, n, p, bits, 0, Math.min(255, hashes));
  }

  private static void requireFits(double words, long n, double p) {
    if (!(words <= FilterSize.MAX_BITS / 64.0)) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "A filter for %d keys at a false-positive probability of %s would have %.4g bits, but"
                  + " must have at most %d: lower the expected insertions or raise the probability",
              n,
              p,
              words * 64,
              FilterSize.MAX_BITS));
    }
  }
}

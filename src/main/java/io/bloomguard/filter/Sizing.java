package io.bloomguard.filter;

/**
 * From what a filter must hold to its dimensions, and back.
 *
 * <p>n is the number of distinct keys, p the false-positive probability, m the bits, k the bits of
 * one key. The classic formulas are those of Bloom's filter without blocks, as in Broder and
 * Mitzenmacher, "Network Applications of Bloom Filters: A Survey" (2004).
 */
public final class Sizing {

  /** The block size where none is asked for: a cache line. */
  public static final int DEFAULT_BLOCK_WORDS = 8;

  private static final double LN_2 = Math.log(2);

  private Sizing() {}

  /**
   * The dimensions of a filter for n keys at p.
   *
   * @throws IllegalArgumentException if n is less than 1, p is not within (0, 1), or the filter
   *     would have more than {@link FilterShape#MAX_WORDS} words
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
   * The dimensions of a filter for n keys at p, with blocks of a size.
   *
   * @param blockWords runs of 64 positions in a block: 1, 2, 4 or 8; 0 for a layout without blocks
   * @throws IllegalArgumentException as for {@link #shape(Layout, long, double)}
   */
  public static FilterShape shape(
      Layout layout, long expectedInsertions, double falsePositiveProbability, int blockWords) {
    return layout.inBlocks()
        ? inBlocks(layout, expectedInsertions, falsePositiveProbability, blockWords)
        : guava(expectedInsertions, falsePositiveProbability);
  }

  /**
   * The smallest blocked filter for n keys at p that is at most half full with them.
   *
   * @param blockWords 64-bit words in a block: 1, 2, 4 or 8
   * @throws IllegalArgumentException as for {@link #shape}
   */
  public static FilterShape blocked(long n, double p, int blockWords) {
    return inBlocks(Layout.BLOCKED, n, p, blockWords);
  }

  private static FilterShape inBlocks(Layout layout, long n, double p, int blockWords) {
    FilterShape.requireTarget(n, p);
    FilterShape.requireBlockWords(blockWords);
    int blockBits = blockWords * 64;
    int hashes = 0;
    double load = 0;
    for (int k = 1; k <= BlockedMath.MAX_HASHES; k++) {
      double candidate = BlockedMath.maxLoad(blockBits, k, p);
      if (candidate > load) {
        load = candidate;
        hashes = k;
      }
    }
    double blocks = Math.ceil(n / load);
    requireFits(blocks * blockWords * layout.counterBits(), n, p);
    return new FilterShape(layout, n, p, ((long) blocks) * blockBits, blockWords, hashes);
  }

  /** The keys that a filter of these dimensions holds before it passes {@code p}; 0 for none. */
  public static long capacity(FilterShape shape, double p) {
    FilterShape.requireTarget(1, p);
    long low = 0;
    long high = 1;
    while (shape.falsePositiveProbabilityAt(high) <= p) {
      low = high;
      high *= 2;
    }
    while (high - low > 1) {
      long middle = (low + high) >>> 1;
      if (shape.falsePositiveProbabilityAt(middle) <= p) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** m for n keys at p with the best k, without blocks: -n ln p / (ln 2)^2, rounded up. */
  public static long classicBits(long n, double p) {
    FilterShape.requireTarget(n, p);
    return (long) Math.ceil(-n * Math.log(p) / (LN_2 * LN_2));
  }

  /** The best k for n keys in m bits, without blocks: m / n ln 2, rounded, at least 1. */
  public static int classicHashes(long n, long bits) {
    FilterShape.requireTarget(n, 0.5);
    return (int) Math.max(1, Math.round((double) bits / n * LN_2));
  }

  /** p with n keys in m bits, without blocks: (1 - e^(-kn/m))^k. */
  public static double classicFalsePositiveProbability(long n, long bits, int hashes) {
    return Math.pow(-Math.expm1(-(double) hashes * n / bits), hashes);
  }

  /** n that m bits hold at p with the best k, without blocks: -m (ln 2)^2 / ln p, rounded down. */
  public static long classicCapacity(long bits, double p) {
    FilterShape.requireTarget(1, p);
    return (long) (-bits * LN_2 * LN_2 / Math.log(p));
  }

  /** The formulas of Guava's {@code BloomFilter.create}, to the letter; it rounds m down. */
  private static FilterShape guava(long n, double p) {
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
    double words = Math.ceil(bits / 64);
    requireFits(words, n, p);
    int hashes = Math.max(1, (int) Math.round(-Math.log(p) / LN_2));
    return new FilterShape(Layout.GUAVA, n, p, ((long) words) * 64, 0, hashes);
  }

  private static void requireFits(double words, long n, double p) {
    if (!(words <= FilterShape.MAX_WORDS)) {
      throw new IllegalArgumentException(
          String.format(
              "A filter for %d keys at a false-positive probability of %s would have %.4g words of"
                  + " 64 bits, but must have at most %d: lower the expected insertions, raise the"
                  + " probability or split the filter in partitions",
              n, p, words, FilterShape.MAX_WORDS));
    }
  }
}

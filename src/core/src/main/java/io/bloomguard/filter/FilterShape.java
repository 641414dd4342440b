package io.bloomguard.filter;

import org.jspecify.annotations.Nullable;

/**
 * The immutable dimensions of a filter, or of one of its partitions.
 *
 * @param layout the arrangement of a key's bits
 * @param expectedInsertions n, distinct keys the filter is made for, at least 1
 * @param falsePositiveProbability p at n keys, within (0, 1)
 * @param bits m, a multiple of {@code blockWords * 64}: the positions, each a bit or a counter
 * @param blockWords runs of 64 positions in a block (1, 2, 4 or 8); 0 for a layout without blocks
 * @param hashes k, bits of one key
 * @param reachable the number of positions that any key can have: m, unless the hashes of another
 *     program leave some of them out, or it has as many in each of several strings
 */
public record FilterShape(
    Layout layout,
    long expectedInsertions,
    double falsePositiveProbability,
    long bits,
    int blockWords,
    int hashes,
    long reachable) {

  /** The most 64-bit words of a filter on the heap: the largest array of a common JVM. */
  public static final long MAX_WORDS = (1L << 31) - 8;

  /**
   * Checks that such a filter can be made.
   *
   * @param layout the arrangement of a key's bits
   * @param expectedInsertions n, distinct keys the filter is made for, at least 1
   * @param falsePositiveProbability p at n keys, within (0, 1)
   * @param bits m, a multiple of {@code blockWords * 64}
   * @param blockWords runs of 64 positions in a block (1, 2, 4 or 8)
   * @param hashes k, bits of one key
   * @param reachable the number of positions that any key can have
   * @throws IllegalArgumentException naming the value and the rule it breaks
   */
  public FilterShape {
    requireTarget(expectedInsertions, falsePositiveProbability);
    boolean blocked = layout.inBlocks();
    if (blocked) {
      requireBlockWords(blockWords);
    } else {
      require(blockWords == 0, "block words", blockWords, "0 for the layout " + layout);
    }
    int maxHashes = blocked ? BlockedMath.MAX_HASHES : 255;
    require(hashes >= 1 && hashes <= maxHashes, "hashes", hashes, "1 to " + maxHashes);
    long unit = layout == Layout.CLASSIC ? 1 : Math.max(1, blockWords) * 64L;
    require(bits > 0 && bits % unit == 0, "bits", bits, "a positive multiple of " + unit);
    long most = FilterSize.MAX_BITS / layout.counterBits();
    require(bits <= most, "bits", bits, "at most " + most);
    require(
        reachable > 0 && (reachable == bits || layout == Layout.CLASSIC),
        "reachable bits",
        reachable,
        "all " + bits);
  }

  /**
   * A filter whose keys can have any of its positions.
   *
   * @param layout the arrangement of a key's bits
   * @param expectedInsertions n, distinct keys the filter is made for, at least 1
   * @param falsePositiveProbability p at n keys, within (0, 1)
   * @param bits m, a multiple of {@code blockWords * 64}
   * @param blockWords runs of 64 positions in a block; 0 for a layout without blocks
   * @param hashes k, bits of one key
   * @throws IllegalArgumentException naming the value and the rule it breaks
   */
  public FilterShape(
      Layout layout,
      long expectedInsertions,
      double falsePositiveProbability,
      long bits,
      int blockWords,
      int hashes) {
    this(layout, expectedInsertions, falsePositiveProbability, bits, blockWords, hashes, bits);
  }

  /** {@return the size of the bits or counters alone, in bytes} */
  public long sizeBytes() {
    return (bits * layout.counterBits() + 7) / 8;
  }

  /**
   * {@return this shape, for a filter on the heap}
   *
   * @throws IllegalArgumentException if it has more than {@link #MAX_WORDS} words of 64 bits
   */
  public FilterShape onHeap() {
    if (sizeBytes() > MAX_WORDS * Long.BYTES) {
      throw new IllegalArgumentException(
          "A filter for "
              + expectedInsertions
              + " keys at a false-positive probability of "
              + falsePositiveProbability
              + " takes "
              + sizeBytes()
              + " bytes, but on the heap it must have at most "
              + MAX_WORDS * Long.BYTES
              + " bytes (16 GiB): use `backend: redis`, which splits it in partitions");
    }
    return this;
  }

  /** {@return the fill ratio that is expected once the expected insertions are in, 0 to 1} */
  public double designFillRatio() {
    return fillRatioAt(expectedInsertions);
  }

  /**
   * {@return the expected share of set bits with {@code elements} distinct keys, 0 to 1}
   *
   * @param elements the number of distinct keys, 0 or more
   */
  public double fillRatioAt(long elements) {
    return -Math.expm1(elements * logClear());
  }

  /**
   * {@return the false-positive probability with {@code elements} distinct keys, 0 to 1}
   *
   * <p>Without blocks it is the fill ratio to the power of k, as in Bloom's paper (1970); with
   * blocks the mixture over block loads of Putze, Sanders and Singler, "Cache-, Hash- and
   * Space-Efficient Bloom Filters" (2007).
   *
   * @param elements the number of distinct keys, 0 or more
   */
  public double falsePositiveProbabilityAt(long elements) {
    return layout.inBlocks()
        ? BlockedMath.falsePositiveProbability((double) elements / blocks(), blockBits(), hashes)
        : Math.pow(fillRatioAt(elements), hashes);
  }

  /**
   * {@return the number of distinct keys that leave {@code bitsSet} bits set: the inverse of {@link
   * #fillRatioAt}} With all bits set it is the estimate for all but one.
   *
   * @param bitsSet the number of set bits, 0 to {@link #reachable}
   */
  public long estimateElements(long bitsSet) {
    require(bitsSet >= 0 && bitsSet <= reachable, "bits set", bitsSet, "0 to " + reachable);
    double fill = (double) Math.min(bitsSet, reachable - 1) / reachable;
    return Math.round(Math.log1p(-fill) / logClear());
  }

  /** The logarithm of the probability that one key leaves a given bit clear. */
  private double logClear() {
    return layout.inBlocks()
        ? Math.log1p(-BlockedMath.hitProbability(blockBits(), hashes) / blocks())
        : hashes * Math.log1p(-1.0 / reachable);
  }

  private int blockBits() {
    return blockWords * 64;
  }

  private long blocks() {
    return bits / blockBits();
  }

  static void requireTarget(long expectedInsertions, double falsePositiveProbability) {
    require(expectedInsertions >= 1, "expected insertions", expectedInsertions, "at least 1");
    require(
        falsePositiveProbability > 0 && falsePositiveProbability < 1,
        "false-positive probability",
        falsePositiveProbability,
        "greater than 0 and less than 1");
  }

  static void requireBlockWords(int blockWords) {
    require(
        blockWords >= 1 && blockWords <= 8 && Integer.bitCount(blockWords) == 1,
        "block words",
        blockWords,
        "1, 2, 4 or 8");
  }

  private static void require(boolean kept, String name, @Nullable Object value, String rule) {
    if (!kept) {
      throw new IllegalArgumentException(
          "The filter's " + name + " is " + value + ", but must be " + rule);
    }
  }
}

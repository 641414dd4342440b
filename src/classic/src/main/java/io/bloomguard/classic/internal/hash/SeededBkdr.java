package io.bloomguard.classic.internal.hash;

/**
 * The sixteen hash functions of {@code bloomfilter-redis}: BKDR with seeds of more and more digits,
 * masked to 31 bits at each step, as PHP computes it.
 *
 * <p>Products above 2^53 are rounded to doubles, whose low bits are zero. The seeds beyond the
 * sixth therefore distinguish fewer and fewer keys.
 */
public final class SeededBkdr {

  /** The number of seeds. */
  public static final int SEEDS = 16;

  /** The end of the range of its values: 2^31. */
  public static final long RANGE = 1L << 31;

  private static final long MASK = RANGE - 1;

  private static final long[] SEED = seeds();

  private SeededBkdr() {}

  /**
   * {@return the hash of a key's bytes under a seed, 0 to 2^31 - 1}
   *
   * @param key the bytes of a key
   * @param seed the seed's index, 0 to 15
   */
  public static long hash(byte[] key, int seed) {
    long factor = SEED[seed];
    long hash = 0;
    for (byte b : key) {
      hash = (PhpNumber.multiplyRounded(hash, factor) & MASK) + (b & 0xff) & MASK;
    }
    return hash;
  }

  /** 31; then i + 2 digits, 1 and 3 in turn: 131, 1313, 13131 and so on. */
  private static long[] seeds() {
    long[] seeds = new long[SEEDS];
    long seed = 13;
    seeds[0] = 31;
    for (int i = 1; i < SEEDS; i++) {
      seed = seed * 10 + (i % 2 == 1 ? 1 : 3);
      seeds[i] = seed;
    }
    return seeds;
  }
}

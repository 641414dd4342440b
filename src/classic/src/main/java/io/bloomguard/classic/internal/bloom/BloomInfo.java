package io.bloomguard.classic.internal.bloom;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;

/**
 * The answer of {@code BF.INFO} for a filter.
 *
 * @param capacity the keys it is made for, over all its filters
 * @param bytes its memory
 * @param filters the number of its filters, with growth
 * @param items the keys that were new when they were added
 */
record BloomInfo(long capacity, long bytes, long filters, long items) {

  private static final double LN_2 = Math.log(2);

  /** The bytes of RedisBloom's chain, and of each filter in it, besides the bits. */
  private static final long CHAIN_BYTES = 32;

  private static final long LINK_BYTES = 64;

  /**
   * Its dimensions. The module does not report its bits and hashes: the bits are its memory without
   * its records, and k is the module's own formula for as many bits a key, ceil(ln 2 · m / n).
   *
   * @param probability its stated error rate
   */
  FilterShape shape(double probability) {
    long keys = Math.max(1, capacity);
    long data = bytes - CHAIN_BYTES - filters * LINK_BYTES;
    long bits = Math.max(1, data / Long.BYTES) * Long.SIZE;
    int hashes = (int) Math.min(255, Math.max(1, Math.ceil(LN_2 * bits / keys)));
    return new FilterShape(Layout.CLASSIC, keys, probability, bits, 0, hashes);
  }
}

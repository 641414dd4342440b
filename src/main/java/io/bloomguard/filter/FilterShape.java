package io.bloomguard.filter;

/**
 * The immutable dimensions of a filter.
 *
 * @param layout how the bits of a key are spread
 * @param expectedInsertions n, distinct keys the filter is made for, at least 1
 * @param falsePositiveProbability p at n keys, within (0, 1)
 * @param bits m, a multiple of {@code blockWords * 64}
 * @param blockWords 64-bit words in a block (1, 2, 4 or 8); 0 for a layout without blocks
 * @param hashes k, bits of one key
 */
public record FilterShape(
    Layout layout,
    long expectedInsertions,
    double falsePositiveProbability,
    long bits,
    int blockWords,
    int hashes) {

  /** The size of the bits alone, in bytes. */
  public long sizeBytes() {
    return bits / 8;
  }
}

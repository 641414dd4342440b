package io.bloomguard.console.internal;

import io.bloomguard.filter.FilterSize;

/**
 * The rates of a filter as it is overfilled.
 *
 * @param bits m
 * @param hashes k
 * @param blockWords 64-bit words of a block, 0 without blocks
 * @param sizeBytes the size of the bits
 * @param expectedInsertions the keys it is made for
 * @param falsePositiveProbability the requested probability with that many keys
 * @param capacity the keys that it holds before it exceeds that probability
 * @param insertions keys in the filter, from none to four times the expected ones
 * @param probabilities the false-positive probability with that many keys
 */
record OverloadCurve(
    long bits,
    int hashes,
    int blockWords,
    long sizeBytes,
    long expectedInsertions,
    double falsePositiveProbability,
    long capacity,
    long[] insertions,
    double[] probabilities) {

  private static final int STEPS = 40;
  private static final int STEPS_TO_FULL = 10;

  static OverloadCurve of(FilterSize size) {
    long n = size.insertions();
    long[] insertions = new long[STEPS];
    double[] probabilities = new double[STEPS];
    for (int i = 0; i < STEPS; i++) {
      insertions[i] = Math.max(1, Math.round((double) n * (i + 1) / STEPS_TO_FULL));
      probabilities[i] = size.falsePositiveProbabilityAt(insertions[i]);
    }
    return new OverloadCurve(
        size.bits(),
        size.hashes(),
        size.blockWords(),
        size.bytes(),
        n,
        size.falsePositiveProbability(),
        size.capacity(),
        insertions,
        probabilities);
  }
}

package io.bloomguard.filter;

/**
 * One filter of a scaling filter of RedisBloom: the first one has room for the capacity, each
 * further one for twice as many keys, and each has half the false-positive probability of the one
 * before, beginning with half of the requested one, so that their sum stays below that.
 *
 * <p>Almeida et al., "Scalable Bloom Filters" (2007), with RedisBloom's tightening ratio of 0.5 and
 * its usual {@code EXPANSION 2}.
 *
 * @param capacity the keys that it takes before the next one is made
 * @param falsePositiveProbability p with that many
 * @param bits m
 * @param hashes k, rounded up
 */
record SubFilter(double capacity, double falsePositiveProbability, double bits, int hashes) {

  private static final double TIGHTENING = 0.5;
  private static final int EXPANSION = 2;

  private static SubFilter of(double capacity, double p) {
    double bitsPerKey = Sizing.classicBitsPerKey(p);
    double words = Math.ceil(capacity * bitsPerKey / Long.SIZE);
    return new SubFilter(capacity, p, words * Long.SIZE, (int) Math.ceil(Math.log(2) * bitsPerKey));
  }

  /** The sub-filter that is made at once. */
  static SubFilter first(long capacity, double p) {
    return of(capacity, p * TIGHTENING);
  }

  private SubFilter next() {
    return of(capacity * EXPANSION, falsePositiveProbability * TIGHTENING);
  }

  /** The probability that any sub-filter answers for a key that was never added. */
  static double falsePositiveProbability(long capacity, double p, double elements) {
    double none = 1;
    SubFilter filter = first(capacity, p);
    for (double left = elements; left > 0; left -= filter.capacity, filter = filter.next()) {
      none *= 1 - filter.at(Math.min(left, filter.capacity));
    }
    return 1 - none;
  }

  private double at(double elements) {
    return Math.pow(-Math.expm1(-hashes * elements / bits), hashes);
  }
}

package io.bloomguard.classic.internal.guava;

/**
 * The evidence of a sample of keys for a filter that may have been filled with another funnel: with
 * another funnel, each key is in the filter by chance alone.
 *
 * @param keys the size of the sample
 * @param found the number of them that are possibly present
 * @param chance the present false-positive probability of the filter
 */
record FunnelEvidence(long keys, long found, double chance) {

  /** A wrong filter seems right once in a million times at most. */
  private static final double CERTAINTY = Math.log(1e6);

  private double share() {
    return keys == 0 ? 0 : (double) found / keys;
  }

  /**
   * Whether less than half of the keys are in it: more are missing than a day's new rows can
   * explain.
   */
  boolean refutes() {
    return keys > 0 && share() < 0.5;
  }

  /**
   * Whether chance does not explain the number of keys in it, by Chernoff's bound of the binomial
   * tail.
   */
  boolean proves() {
    double share = share();
    if (share < 0.5 || share <= chance) {
      return false;
    }
    double divergence = term(share, chance) + term(1 - share, 1 - chance);
    return keys * divergence >= CERTAINTY;
  }

  private static double term(double share, double chance) {
    return share == 0 ? 0 : share * Math.log(share / chance);
  }
}

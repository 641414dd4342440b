package io.bloomguard.generation;

/**
 * The evidence of a sample of keys for a filter that may have been filled in another way: with
 * another one, each of them is in it by chance alone.
 *
 * @param keys the size of the sample
 * @param found how many of them are possibly present
 * @param chance the false-positive probability of the filter as it stands
 */
record FunnelEvidence(long keys, long found, double chance) {

  /** A wrong filter seems right once in a million times at most. */
  private static final double CERTAINTY = Math.log(1e6);

  private double share() {
    return keys == 0 ? 0 : (double) found / keys;
  }

  /** Whether less than half of the keys are in it: more than a day's new rows can explain. */
  boolean refutes() {
    return keys > 0 && share() < 0.5;
  }

  /** Whether chance does not explain how many are in it: Chernoff's bound of the binomial tail. */
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

package io.bloomguard.filter;

import java.util.Arrays;

/**
 * The probabilities of a blocked filter, whose keys each draw k positions in one block of B bits:
 * distinct ones in a block of one word, with repetition in a larger one.
 *
 * <p>Keys fall on blocks at random, so the load of a block is Poisson distributed; the
 * false-positive probability is the mixture, over loads, of the probability of a block with that
 * load (Putze, Sanders, Singler: "Cache-, Hash- and Space-Efficient Bloom Filters", 2007, section
 * 3). The probability of a block is computed exactly here, not from its mean fill.
 */
final class BlockedMath {

  /** The most positions of one key. */
  static final int MAX_HASHES = 16;

  private static final double LN_2 = Math.log(2);
  private static final int BISECTIONS = 50;

  private BlockedMath() {}

  /** The number of positions of a key, and of keys that a block may then hold on average. */
  record BlockLoad(int hashes, double keys) {}

  /** The probability that one key of a block sets a given bit of it: k/B, or 1 - (1 - 1/B)^k. */
  static double hitProbability(int blockBits, int hashes) {
    if (isDistinct(blockBits)) {
      return (double) hashes / blockBits;
    }
    return -Math.expm1(hashes * Math.log1p(-1.0 / blockBits));
  }

  /** The false-positive probability with {@code load} keys a block on average. */
  static double falsePositiveProbability(double load, int blockBits, int hashes) {
    return mean(load, byKeys(load, blockBits, hashes));
  }

  /**
   * The false-positive probabilities of a block with 0, 1, … keys, as many as {@link #mean} takes
   * for loads up to {@code load}, or as are below 1.
   *
   * <p>With i keys it is the probability that all k draws of another key hit set bits. The
   * probability that those draws have d distinct positions is {@code distinct}, and the probability
   * that d given positions are all set is {@code covered}, which every further key raises. All
   * terms are positive, so nothing cancels, however small the result.
   */
  private static double[] byKeys(double load, int blockBits, int hashes) {
    double[] distinct = distinctPositions(blockBits, hashes);
    double[][] draws = draws(blockBits, hashes);
    double[] covered = new double[hashes + 1];
    covered[0] = 1;
    double[] probabilities = new double[mostKeys(load) + 1];
    for (int keys = 0; keys < probabilities.length; keys++) {
      if (keys > 0) {
        covered = withAnotherKey(covered, draws);
      }
      double probability = 0;
      for (int d = 1; d <= hashes; d++) {
        probability += distinct[d] * covered[d];
      }
      if (probability > 1 - 1e-12) {
        return Arrays.copyOf(probabilities, keys);
      }
      probabilities[keys] = probability;
    }
    return probabilities;
  }

  /** The mean of those probabilities over all blocks, with {@code load} keys a block on average. */
  private static double mean(double load, double[] byKeys) {
    double logWeight = -load;
    double mass = 0;
    double sum = 0;
    int most = mostKeys(load);
    for (int keys = 0; keys <= most; keys++) {
      if (keys == byKeys.length) {
        return Math.min(1, sum + 1 - mass);
      }
      if (keys > 0) {
        logWeight += Math.log(load / keys);
      }
      double weight = Math.exp(logWeight);
      mass += weight;
      sum += weight * byKeys[keys];
    }
    return Math.min(1, sum);
  }

  /** The number of keys beyond which a block is too rare to count. */
  private static int mostKeys(double load) {
    return (int) (load + 15 * Math.sqrt(load) + 60);
  }

  /**
   * The most keys a block may hold on average, so that the false-positive probability is at most
   * {@code p} and the fill ratio at most a half.
   */
  static double maxLoad(int blockBits, int hashes, double p) {
    double high = LN_2 / hitProbability(blockBits, hashes);
    double[] byKeys = byKeys(high, blockBits, hashes);
    if (mean(high, byKeys) <= p) {
      return high;
    }
    double low = 0;
    for (int i = 0; i < BISECTIONS; i++) {
      double middle = (low + high) / 2;
      if (mean(middle, byKeys) <= p) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * The k with which a block may hold the most keys. The load is computed only for a k that may
   * raise the maximum so far, and first for the k that is best without blocks.
   */
  static BlockLoad bestLoad(int blockBits, double p) {
    int best = (int) Math.max(1, Math.min(MAX_HASHES, Math.round(-Math.log(p) / LN_2)));
    double most = maxLoad(blockBits, best, p);
    for (int hashes = 1; hashes <= MAX_HASHES; hashes++) {
      if (hashes != best && mayHold(most, blockBits, hashes, p)) {
        double load = maxLoad(blockBits, hashes, p);
        if (load > most) {
          most = load;
          best = hashes;
        }
      }
    }
    return new BlockLoad(best, most);
  }

  private static boolean mayHold(double load, int blockBits, int hashes, double p) {
    return load < LN_2 / hitProbability(blockBits, hashes)
        && falsePositiveProbability(load, blockBits, hashes) <= p;
  }

  private static boolean isDistinct(int blockBits) {
    return blockBits == Long.SIZE;
  }

  /** The probability of each number of distinct positions among {@code hashes} draws. */
  private static double[] distinctPositions(int blockBits, int hashes) {
    double[] distinct = new double[hashes + 1];
    if (isDistinct(blockBits)) {
      distinct[hashes] = 1;
      return distinct;
    }
    distinct[0] = 1;
    for (int draw = 1; draw <= hashes; draw++) {
      for (int d = draw; d >= 1; d--) {
        distinct[d] = (distinct[d] * d + distinct[d - 1] * (blockBits - d + 1)) / blockBits;
      }
      distinct[0] = 0;
    }
    return distinct;
  }

  /**
   * The probabilities that 0, 1, … k given positions are all set after one more key in the block,
   * from those before: the key draws some of d positions, and the others were set before.
   */
  private static double[] withAnotherKey(double[] covered, double[][] draws) {
    double[] next = new double[covered.length];
    for (int d = 0; d < next.length; d++) {
      for (int j = 0; j <= d; j++) {
        next[d] += draws[d][j] * covered[d - j];
      }
    }
    return next;
  }

  /** {@code [d][j]}: the probability that a key draws exactly j particular ones of d positions. */
  private static double[][] draws(int blockBits, int hashes) {
    double[][] draws = new double[hashes + 1][hashes + 1];
    for (int d = 0; d <= hashes; d++) {
      if (isDistinct(blockBits)) {
        for (int j = 0; j <= d; j++) {
          draws[d][j] =
              choose(hashes, j) * choose(blockBits - hashes, d - j) / choose(blockBits, d);
        }
      } else {
        draws[d][0] = 1;
        for (int draw = 0; draw < hashes; draw++) {
          for (int j = d; j >= 0; j--) {
            double missed = draws[d][j] * (blockBits - d + j);
            double hit = j == 0 ? 0 : draws[d][j - 1] * (d - j + 1);
            draws[d][j] = (missed + hit) / blockBits;
          }
        }
      }
    }
    return draws;
  }

  private static double choose(int of, int chosen) {
    double ways = 1;
    for (int i = 1; i <= chosen; i++) {
      ways = ways * (of - chosen + i) / i;
    }
    return ways;
  }
}

package io.bloomguard.bench;

import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * Two pieces of work that are timed turn by turn, in an order that changes with each: what else the
 * machine does slows both, and a turn that it interrupts is not the median one.
 *
 * @param blocks of the median turns in each of them a ratio is taken; another one before is warm-up
 * @param turns of a block
 */
record Turns(int blocks, int turns) {

  /** The blocks together with the one that is not measured. */
  int all() {
    return blocks + 1;
  }

  Times of(Work theirs, Work ours) {
    double[] their = new double[blocks];
    double[] our = new double[blocks];
    double[] ratios = new double[blocks];
    for (int block = -1; block < blocks; block++) {
      double[][] nanos = block(block + 1, theirs, ours);
      if (block >= 0) {
        their[block] = quantile(nanos[0], 0.5) / theirs.keys();
        our[block] = quantile(nanos[1], 0.5) / ours.keys();
        ratios[block] = their[block] / our[block];
      }
    }
    return new Times(
        quantile(their, 0.5),
        quantile(our, 0.5),
        quantile(ratios, 0.5),
        quantile(ratios, 0.1),
        quantile(ratios, 0.9));
  }

  /** What each turn of the two has taken. */
  private double[][] block(int block, Work theirs, Work ours) {
    double[][] nanos = new double[2][turns];
    for (int i = 0; i < turns; i++) {
      int turn = block * turns + i;
      for (int leg = 0; leg < 2; leg++) {
        int which = (turn + leg) % 2;
        long began = System.nanoTime();
        (which == 0 ? theirs : ours).turn().accept(turn);
        nanos[which][i] = System.nanoTime() - began;
      }
    }
    return nanos;
  }

  private static double quantile(double[] values, double share) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[(int) Math.round(share * (sorted.length - 1))];
  }

  /**
   * One of the two.
   *
   * @param keys of one turn
   * @param turn does the turn of that number, from 0
   */
  record Work(int keys, IntConsumer turn) {}

  /**
   * Nanoseconds a key, medians over the blocks, and how theirs are to ours.
   *
   * @param ratio the median over the blocks
   * @param low nine of ten ratios are above
   * @param high nine of ten ratios are below
   */
  record Times(double theirs, double ours, double ratio, double low, double high) {}
}

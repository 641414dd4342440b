package io.bloomguard.guard;

import java.time.Duration;

/**
 * The rule by which values are loaded again before they expire.
 *
 * <p>Past its soft limit a value is due for every caller, and served while one of them loads: the
 * stale-while-revalidate of RFC 5861. Before its limit it falls due by chance, more likely the
 * nearer the limit is and the longer its load takes: XFetch, of Vattani et al., "Optimal
 * Probabilistic Cache Stampede Prevention", VLDB 2015. Without a soft limit, the limit is the
 * value's end.
 *
 * @param softTtl the time to the soft limit, shorter than the lifetime; zero for no such limit
 * @param beta the factor by which values fall due early by chance: 1 is the authors'
 *     recommendation, more is earlier, 0 never
 */
public record RefreshSettings(Duration softTtl, double beta) {

  /** No value is loaded again before it expires. */
  public static final RefreshSettings OFF = new RefreshSettings(Duration.ZERO, 0);

  /** Far past any use: values would be due from the beginning. */
  public static final int MAX_BETA = 10;

  /**
   * {@return whether a factor may be set: 0 to {@link #MAX_BETA}}
   *
   * @param beta as {@link #beta}
   */
  public static boolean isBeta(double beta) {
    return beta >= 0 && beta <= MAX_BETA;
  }

  /** {@return whether values are loaded again before they expire} */
  public boolean isOn() {
    return beta > 0 || !softTtl.isZero();
  }

  /**
   * {@return whether a value is due for a caller that arrives now}
   *
   * @param left the nanoseconds to its limit
   * @param loadTime the nanoseconds that its load took
   * @param random the caller's random number, uniform within [0, 1)
   */
  public boolean isDue(long left, long loadTime, double random) {
    // 1 - random is never 0, whose logarithm would make every value due.
    return left <= loadTime * beta * -Math.log(1 - random);
  }
}

package io.bloomguard.guard.internal.verify;

/**
 * The number of a filter's rejections that are verified, in each process, and the consequence of a
 * wrong one.
 *
 * @param first the first distinct keys of each generation that go to the load, 0 to a million: they
 *     take about 60 bytes of heap each
 * @param sample the share of all other rejections that go to the load, 0 to 1
 * @param maxPerSecond the most rejections that go to the load, per second and as a burst; at least
 *     0
 * @param onWrongRejection {@code DISARM} or {@code COUNT}
 * @param reports the consequence of a wrong rejection that a caller reports
 */
public record VerifySettings(
    int first,
    double sample,
    int maxPerSecond,
    WrongRejectionPolicy onWrongRejection,
    WrongRejectionPolicy reports) {

  /** The settings in effect without configuration. */
  public static final VerifySettings DEFAULT =
      new VerifySettings(
          1000, 0.0001, 100, WrongRejectionPolicy.DISARM, WrongRejectionPolicy.DISARM);

  /** No rejection is verified; reports count. */
  public static final VerifySettings OFF =
      new VerifySettings(0, 0, 0, WrongRejectionPolicy.DISARM, WrongRejectionPolicy.DISARM);

  /** Whether any rejection is verified. */
  boolean verifies() {
    return (first > 0 || sample > 0) && maxPerSecond > 0;
  }
}

package io.bloomguard.generation;

import org.jspecify.annotations.Nullable;

/**
 * The progress of a build.
 *
 * @param run the identifier of the running build, null while none runs
 * @param scanned keys read so far, 0 while none runs
 * @param total the approximate number of keys; null if the source does not tell it
 * @param ratePerSecond keys a second since the start, 0 while none runs
 * @param etaSeconds seconds left at that rate; null if the total is not known
 */
public record RebuildProgress(
    @Nullable String run,
    long scanned,
    @Nullable Long total,
    double ratePerSecond,
    @Nullable Double etaSeconds) {

  /**
   * {@return the progress of a build at a rate, with the time left at that rate}
   *
   * @param run the identifier of the build
   * @param scanned keys read so far
   * @param total the approximate number of keys; null if the source does not tell it
   * @param ratePerSecond keys a second since the start
   */
  public static RebuildProgress of(
      String run, long scanned, @Nullable Long total, double ratePerSecond) {
    Double eta =
        total == null || ratePerSecond == 0 ? null : Math.max(0, total - scanned) / ratePerSecond;
    return new RebuildProgress(run, scanned, total, ratePerSecond, eta);
  }

  /** The progress while no build runs. */
  public static final RebuildProgress NONE = new RebuildProgress(null, 0, null, 0, null);

  /** {@return whether a build runs} */
  public boolean running() {
    return run != null;
  }
}

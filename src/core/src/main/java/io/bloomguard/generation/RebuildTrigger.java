package io.bloomguard.generation;

/** The trigger of a build. */
public enum RebuildTrigger {
  /** The start of the application. */
  WARM_UP,
  /** An operator. */
  REQUEST,
  /** The cron expression. */
  SCHEDULE,
  /** The fill ratio passed {@code at-fill}. */
  FILL,
  /** The false positives that were loaded again passed {@code at-repeated}. */
  REPEATED,
  /**
   * The serving generation was lost, the last warm-up failed, or the feed of changes has a gap that
   * only the source fills.
   */
  RECOVERY,
  /** A scheme migration that a process began and that is still open. */
  CHANGE
}

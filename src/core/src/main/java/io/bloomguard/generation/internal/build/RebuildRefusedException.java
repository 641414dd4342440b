package io.bloomguard.generation.internal.build;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A requested rebuild is refused. */
public class RebuildRefusedException extends RuntimeException {

  /** The reason for the refusal. */
  public enum Reason {
    /** A build runs already, here or in another process that shares the filter. */
    RUNNING,
    /** The filter has no source to rebuild from. */
    NO_SOURCE,
    /** The last requested rebuild is too recent. */
    COOLDOWN,
    /** Too many sources hang: no further one is read. */
    SOURCES_HANG
  }

  /** The reason, by which callers choose their answer. */
  private final Reason reason;

  /** The remaining cooldown, zero for other reasons. */
  private final Duration retryAfter;

  /** The build that is under way, or the last one; null for none. */
  private final @Nullable String run;

  private RebuildRefusedException(
      Reason reason, String message, Duration retryAfter, @Nullable String run) {
    super(message);
    this.reason = reason;
    this.retryAfter = retryAfter;
    this.run = run;
  }

  static RebuildRefusedException running(String filter, @Nullable String run) {
    return refused(Reason.RUNNING, filter, "is being built already", Duration.ZERO, run);
  }

  static RebuildRefusedException noSource(String filter) {
    return refused(Reason.NO_SOURCE, filter, "has no source to rebuild from", Duration.ZERO, null);
  }

  /**
   * @param left the remaining cooldown
   * @param last the run of the last build, null if it is not known
   */
  static RebuildRefusedException cooldown(
      String filter, Duration cooldown, Duration left, @Nullable String last) {
    return refused(
        Reason.COOLDOWN,
        filter,
        "was rebuilt on request less than " + cooldown + " ago",
        left,
        last);
  }

  static RebuildRefusedException sourcesHang(String filter, String why) {
    return refused(Reason.SOURCES_HANG, filter, "is not built: " + why, Duration.ZERO, null);
  }

  private static RebuildRefusedException refused(
      Reason reason, String filter, String what, Duration retryAfter, @Nullable String run) {
    String message = "Filter '" + filter + "' " + what;
    return new RebuildRefusedException(
        reason, run == null ? message : message + " (run " + run + ")", retryAfter, run);
  }

  /** {@return the reason for the refusal} */
  public Reason reason() {
    return reason;
  }

  /** {@return the remaining cooldown, zero for other reasons} */
  public Duration retryAfter() {
    return retryAfter;
  }

  /**
   * {@return the build that is under way, or the last one within its cooldown; null for other
   * reasons, and if it is not known}
   */
  public @Nullable String run() {
    return run;
  }
}

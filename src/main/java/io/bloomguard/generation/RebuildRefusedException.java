package io.bloomguard.generation;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A rebuild was asked for that is not started. */
public class RebuildRefusedException extends RuntimeException {

  /** Why a rebuild is refused. */
  public enum Reason {
    /** One runs already, here or in another process that shares the filter. */
    RUNNING,
    /** The filter has no source to rebuild from. */
    NO_SOURCE,
    /** The last requested one is too recent. */
    COOLDOWN,
    /** Too many sources hang: no further one is read. */
    SOURCES_HANG
  }

  private final Reason reason;
  private final Duration retryAfter;
  private final @Nullable String run;

  public RebuildRefusedException(
      Reason reason, String message, Duration retryAfter, @Nullable String run) {
    super(message);
    this.reason = reason;
    this.retryAfter = retryAfter;
    this.run = run;
  }

  public Reason reason() {
    return reason;
  }

  /** The rest of the cooldown, zero for other reasons. */
  public Duration retryAfter() {
    return retryAfter;
  }

  /**
   * The build that is under way, or the last one within its cooldown; null for other reasons, and
   * where it is not known.
   */
  public @Nullable String run() {
    return run;
  }
}

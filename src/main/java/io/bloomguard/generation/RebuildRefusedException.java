package io.bloomguard.generation;

import java.time.Duration;

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

  public RebuildRefusedException(Reason reason, String message, Duration retryAfter) {
    super(message);
    this.reason = reason;
    this.retryAfter = retryAfter;
  }

  public Reason reason() {
    return reason;
  }

  /** The rest of the cooldown, zero for other reasons. */
  public Duration retryAfter() {
    return retryAfter;
  }
}

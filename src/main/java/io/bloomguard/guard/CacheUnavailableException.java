package io.bloomguard.guard;

import org.jspecify.annotations.Nullable;

/** The value cache cannot be reached. */
public class CacheUnavailableException extends RuntimeException {

  private final boolean slow;

  /** A cache that is out of reach. */
  public CacheUnavailableException(String message, @Nullable Throwable cause) {
    this(message, cause, false);
  }

  /**
   * A cache that is out of reach, or slow.
   *
   * @param slow whether the cache is reachable, answers other callers, and may answer a repeated
   *     call
   */
  public CacheUnavailableException(String message, @Nullable Throwable cause, boolean slow) {
    super(message, cause);
    this.slow = slow;
  }

  /** Whether the cache is reachable, but did not answer in time. */
  public boolean isSlow() {
    return slow;
  }
}

package io.bloomguard.guard;

import org.jspecify.annotations.Nullable;

/** The value cache cannot be reached. */
public class CacheUnavailableException extends RuntimeException {

  /** Whether the cache is reachable, but did not answer in time. */
  private final boolean slow;

  /**
   * A cache that is out of reach.
   *
   * @param message the fault, without any key
   * @param cause the exception of the cache's client, null for none
   */
  public CacheUnavailableException(String message, @Nullable Throwable cause) {
    this(message, cause, false);
  }

  /**
   * A cache that is out of reach, or slow.
   *
   * @param message the fault, without any key
   * @param cause the exception of the cache's client, null for none
   * @param slow whether the cache is reachable, answers other callers, and may answer a repeated
   *     call
   */
  public CacheUnavailableException(String message, @Nullable Throwable cause, boolean slow) {
    super(message, cause);
    this.slow = slow;
  }

  /** {@return whether the cache is reachable, but did not answer in time} */
  public boolean isSlow() {
    return slow;
  }
}

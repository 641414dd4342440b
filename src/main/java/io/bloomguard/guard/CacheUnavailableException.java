package io.bloomguard.guard;

import org.jspecify.annotations.Nullable;

/** The value cache cannot be reached. */
public class CacheUnavailableException extends RuntimeException {

  private final boolean slow;

  /** One that is out of reach. */
  public CacheUnavailableException(String message, @Nullable Throwable cause) {
    this(message, cause, false);
  }

  /**
   * One that is out of reach, or slow.
   *
   * @param slow whether it is there, answers others and may answer if it is asked again
   */
  public CacheUnavailableException(String message, @Nullable Throwable cause, boolean slow) {
    super(message, cause);
    this.slow = slow;
  }

  /** Whether it is there, but did not answer in time. */
  public boolean isSlow() {
    return slow;
  }
}

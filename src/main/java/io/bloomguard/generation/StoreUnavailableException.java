package io.bloomguard.generation;

import org.jspecify.annotations.Nullable;

/** The store of a filter is out of reach, or must not be changed by this process, for now. */
public class StoreUnavailableException extends RuntimeException {

  /**
   * @param message why, and what to do; without any key
   */
  public StoreUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}

package io.bloomguard.generation;

import org.jspecify.annotations.Nullable;

/** The store of a filter is out of reach, or this process must not change it for now. */
public class StoreUnavailableException extends RuntimeException {

  /**
   * @param message the reason and the remedy, without any key
   */
  public StoreUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}

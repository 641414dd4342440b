package io.bloomguard.generation;

import org.jspecify.annotations.Nullable;

/** The store of a filter is out of reach, or this process must not change it for now. */
public class StoreUnavailableException extends RuntimeException {

  /**
   * The failure of a call to a store.
   *
   * @param message the reason and the remedy, without any key
   * @param cause the exception of the store's client, null for none
   */
  public StoreUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}

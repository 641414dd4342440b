package io.bloomguard.classic.internal.bloom;

import io.bloomguard.generation.StoreUnavailableException;

/** The exception for a key without a usable filter of the module. */
final class NoFilterException extends StoreUnavailableException {

  private final boolean missing;

  /**
   * @param message the reason, as the end of a sentence
   * @param missing whether the key does not exist
   */
  NoFilterException(String message, boolean missing) {
    super(message, null);
    this.missing = missing;
  }

  /** Whether the key does not exist. */
  boolean isMissing() {
    return missing;
  }
}

package io.bloomguard.classic.internal.bloom;

/** The exception for a key without a usable filter of the module. */
final class NoFilterException extends RuntimeException {

  private final boolean missing;

  /**
   * @param message the reason, as the end of a sentence
   * @param missing whether the key does not exist
   */
  NoFilterException(String message, boolean missing) {
    super(message);
    this.missing = missing;
  }

  /** Whether the key does not exist. */
  boolean isMissing() {
    return missing;
  }
}

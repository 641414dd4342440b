package io.bloomguard.redis.bloom;

/** No usable filter of the module stands at a key. */
final class NoFilterException extends RuntimeException {

  private final boolean missing;

  /**
   * @param message why, as the end of a sentence
   * @param missing whether nothing at all stands there
   */
  NoFilterException(String message, boolean missing) {
    super(message);
    this.missing = missing;
  }

  /** Whether nothing at all stands at the key. */
  boolean isMissing() {
    return missing;
  }
}

package io.bloomguard.generation;

import org.jspecify.annotations.Nullable;

/** A source cannot be read, or yields values that are not keys. The message never holds a key. */
public class KeySourceException extends RuntimeException {

  /**
   * The failure of a reading.
   *
   * @param message the fault and the remedy, without any key
   * @param cause the exception that the source threw; null where it has none, or where it may quote
   *     a key
   */
  public KeySourceException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}

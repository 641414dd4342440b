package io.bloomguard.generation;

import org.jspecify.annotations.Nullable;

/** A source cannot be read, or yields values that are not keys. The message never holds a key. */
public class KeySourceException extends RuntimeException {

  public KeySourceException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}

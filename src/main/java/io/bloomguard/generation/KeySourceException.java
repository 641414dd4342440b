package io.bloomguard.generation;

import org.jspecify.annotations.Nullable;

/** A source that cannot be read or yields what is no key. Its message never holds a key. */
public class KeySourceException extends RuntimeException {

  public KeySourceException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}

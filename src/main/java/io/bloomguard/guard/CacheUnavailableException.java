package io.bloomguard.guard;

import org.jspecify.annotations.Nullable;

/** The value cache cannot be reached. */
public class CacheUnavailableException extends RuntimeException {

  public CacheUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}

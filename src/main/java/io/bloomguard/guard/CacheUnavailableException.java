package io.bloomguard.guard;

/** The value cache cannot be reached. */
public class CacheUnavailableException extends RuntimeException {

  public CacheUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}

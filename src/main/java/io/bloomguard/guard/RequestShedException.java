package io.bloomguard.guard;

import java.time.Duration;

/** A request was refused to protect what lies behind the guard; the web layer answers 503. */
public class RequestShedException extends RuntimeException {

  private final Duration retryAfter;

  public RequestShedException(String message, Duration retryAfter) {
    super(message);
    this.retryAfter = retryAfter;
  }

  /** When to try again, for {@code Retry-After}. */
  public Duration retryAfter() {
    return retryAfter;
  }
}

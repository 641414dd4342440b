package io.bloomguard.guard;

import java.time.Duration;

/** A request was refused to protect the database behind the guard; the web layer answers 503. */
public class RequestShedException extends RuntimeException {

  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  /** The time until the next try. */
  private final Duration retryAfter;

  /**
   * The refusal of a request that may be tried again after a second.
   *
   * @param message the reason, without any key
   */
  public RequestShedException(String message) {
    this(message, RETRY_AFTER);
  }

  /**
   * The refusal of a request.
   *
   * @param message the reason, without any key
   * @param retryAfter the time until the next try
   */
  public RequestShedException(String message, Duration retryAfter) {
    super(message);
    this.retryAfter = retryAfter;
  }

  /**
   * {@return the refusal of a key for which a filter with {@code on-unknown: closed} cannot tell}
   *
   * @param filter the filter's name
   */
  public static RequestShedException undecided(String filter) {
    return new RequestShedException(
        "Filter '" + filter + "' cannot tell at the moment and is closed to what it cannot tell");
  }

  /** {@return the time until the next try, for {@code Retry-After}} */
  public Duration retryAfter() {
    return retryAfter;
  }
}

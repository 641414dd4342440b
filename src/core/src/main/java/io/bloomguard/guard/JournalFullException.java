package io.bloomguard.guard;

import java.time.Duration;

/**
 * The journal of a filter's adds has reached its bound, so that no key can be added until older
 * ones are past the retention.
 */
public class JournalFullException extends AddFailedException {

  private static final long serialVersionUID = 1L;

  /** The time until there may be room. */
  private final Duration retryAfter;

  /**
   * The refusal of an add.
   *
   * @param filter the filter's name
   * @param property the property that sets the bound
   * @param bound in bytes
   * @param place the place of the journal, such as {@code on the heap}
   * @param retryAfter the time until there may be room
   */
  public JournalFullException(
      String filter, String property, long bound, String place, Duration retryAfter) {
    super(
        ("Filter '%s' takes no adds for now: its journal %s has reached %s bytes, the"
                + " bound of %s; raise that, or shorten the filter's rebuild.journal-retention")
            .formatted(filter, place, bound, property),
        null);
    this.retryAfter = retryAfter;
  }

  /** {@return the time until the next try, for {@code Retry-After}} */
  public Duration retryAfter() {
    return retryAfter;
  }
}

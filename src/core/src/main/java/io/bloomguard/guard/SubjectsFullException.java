package io.bloomguard.guard;

import java.time.Duration;

/** A filter by subject has reached its bound of subjects, so that no further one can be added. */
public class SubjectsFullException extends AddFailedException {

  private static final long serialVersionUID = 1L;

  /** The time until a subject expires. */
  private final Duration retryAfter;

  /**
   * The refusal of an add.
   *
   * @param filter the filter's name
   * @param property the property that sets the bound
   * @param bound the number of subjects that it allows
   * @param retryAfter the time until a subject expires, if no key is added to it
   */
  public SubjectsFullException(String filter, String property, long bound, Duration retryAfter) {
    super(
        ("Filter '%s' takes no further subject for now: it has %s, the bound of %s;"
                + " raise that, or shorten per-subject.ttl")
            .formatted(filter, bound, property),
        null);
    this.retryAfter = retryAfter;
  }

  /** {@return the time until the next try, for {@code Retry-After}} */
  public Duration retryAfter() {
    return retryAfter;
  }
}

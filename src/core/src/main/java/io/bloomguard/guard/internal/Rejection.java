package io.bloomguard.guard.internal;

import io.bloomguard.guard.ExactSource;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a filter's guard rejects, and the exact source that the guard asks first.
 *
 * @param reject the keys
 * @param confirm the exact source that a blacklist asks before it rejects a key; null for none
 */
public record Rejection(Reject reject, @Nullable ExactSource confirm) {

  /** Keys that the filter does not hold. */
  public static final Rejection ABSENT = new Rejection(Reject.ABSENT, null);

  /**
   * Checks that only a blacklist has an exact source.
   *
   * @param reject the keys
   * @param confirm the exact source that a blacklist asks before it rejects a key
   * @throws IllegalArgumentException if there is an exact source and no blacklist
   */
  public Rejection {
    if (reject == Reject.ABSENT && confirm != null) {
      throw new IllegalArgumentException("Only a blacklist is confirmed by an exact source");
    }
  }
}

package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.internal.Outcome;
import org.jspecify.annotations.Nullable;

/** A value, or none, and the outcome of the call that got it. */
public record Answer<V>(@Nullable V value, Outcome outcome) {

  static <V> Answer<V> cached(@Nullable V value) {
    return new Answer<>(value, value != null ? Outcome.CACHE_HIT : Outcome.NULL_HIT);
  }

  static <V> Answer<V> loaded(@Nullable V value) {
    return new Answer<>(value, value != null ? Outcome.LOADED : Outcome.FALSE_POSITIVE);
  }
}

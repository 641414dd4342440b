package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.internal.Place;
import io.bloomguard.guard.internal.load.SingleFlight.Flight;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A place of one bulkhead, with the queue of the loads nested in its holder's. */
final class BulkheadPlace extends Place {

  private final Bulkhead bulkhead;
  private final @Nullable Place outer;
  private final PlaceQueue within;

  /** The flights that callers in this place, or nested in it, wait for, with their number. */
  final Map<Flight<?>, Integer> awaited = new HashMap<>(0);

  /**
   * A place that is held from now on.
   *
   * @param outer the place that its holder worked in
   */
  BulkheadPlace(Bulkhead bulkhead, @Nullable Place outer, Runnable giveBack) {
    this.bulkhead = bulkhead;
    this.outer = outer;
    this.within = new PlaceQueue(1, giveBack);
  }

  /**
   * The queue of the loads nested in the one that holds {@code outer}; null for no place, or one of
   * another bulkhead.
   */
  static @Nullable PlaceQueue within(@Nullable Place outer, Bulkhead asked) {
    return outer instanceof BulkheadPlace place && place.bulkhead == asked ? place.within : null;
  }

  /** The place that the holder of this one worked in; null for none. */
  @Nullable BulkheadPlace outer() {
    return outer instanceof BulkheadPlace place ? place : null;
  }

  /** Whether {@code inner} is this place, or one that was taken within it. */
  boolean isAround(@Nullable Place inner) {
    BulkheadPlace place = inner instanceof BulkheadPlace one ? one : null;
    while (place != null && place != this) {
      place = place.outer();
    }
    return place == this;
  }

  @Override
  public void close() {
    within.close();
  }
}

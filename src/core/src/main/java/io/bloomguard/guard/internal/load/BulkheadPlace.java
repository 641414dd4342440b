package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.internal.Place;
import org.jspecify.annotations.Nullable;

/** A place of one bulkhead, with the queue of the loads nested in its holder's. */
final class BulkheadPlace extends Place {

  private final Bulkhead bulkhead;
  private final @Nullable Place outer;
  private final PlaceQueue within = new PlaceQueue(1);
  private final Runnable giveBack;

  /**
   * A place that is held from now on.
   *
   * @param outer the place that its holder worked in
   */
  BulkheadPlace(Bulkhead bulkhead, @Nullable Place outer, Runnable giveBack) {
    this.bulkhead = bulkhead;
    this.outer = outer;
    this.giveBack = giveBack;
  }

  /**
   * The queue of the loads nested in the one that holds {@code outer}; null for no place, or one of
   * another bulkhead.
   */
  static @Nullable PlaceQueue within(@Nullable Place outer, Bulkhead asked) {
    return outer instanceof BulkheadPlace place && place.bulkhead == asked ? place.within : null;
  }

  /** Whether {@code inner} is this place, or one that was taken within it. */
  boolean isAround(@Nullable Place inner) {
    Place place = inner;
    while (place instanceof BulkheadPlace one && one != this) {
      place = one.outer;
    }
    return place == this;
  }

  @Override
  public void close() {
    within.close(giveBack);
  }
}

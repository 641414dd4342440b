package io.bloomguard.guard.load;

import io.bloomguard.guard.Place;
import org.jspecify.annotations.Nullable;

/** A place of one bulkhead, with the queue of the loads nested in its holder's. */
final class BulkheadPlace extends Place {

  private final Bulkhead bulkhead;
  private final PlaceQueue within = new PlaceQueue(1);
  private final Runnable giveBack;

  BulkheadPlace(Bulkhead bulkhead, Runnable giveBack) {
    this.bulkhead = bulkhead;
    this.giveBack = giveBack;
  }

  /**
   * The queue of the loads nested in the one that holds {@code outer}; null for no place, or one of
   * another bulkhead.
   */
  static @Nullable PlaceQueue within(@Nullable Place outer, Bulkhead asked) {
    return outer instanceof BulkheadPlace place && place.bulkhead == asked ? place.within : null;
  }

  @Override
  public void close() {
    within.close(giveBack);
  }
}

package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.internal.Place;
import io.bloomguard.guard.internal.load.Bulkhead.Entering;
import io.bloomguard.guard.internal.load.SingleFlight.Flight;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A place of one bulkhead, which the loads nested in its holder's borrow one after the other. */
final class BulkheadPlace extends Place {

  final Bulkhead bulkhead;

  /** The place of any bulkhead that the holder of this one worked in; null for none. */
  final @Nullable BulkheadPlace outer;

  /** The place that this one is borrowed from; null for one of the bulkhead's own. */
  final @Nullable BulkheadPlace lender;

  final boolean isTrial;

  // Guarded by the bulkhead's lock

  boolean isLent;
  boolean isClosed;

  /** The callers that wait to borrow this place. */
  final Set<Entering> queue = new LinkedHashSet<>(0);

  /** The flights that callers in this place, or nested in it, wait for, with their number. */
  final Map<Flight<?>, Integer> awaited = new HashMap<>(0);

  /** A place that is held from now on. */
  BulkheadPlace(
      Bulkhead bulkhead, @Nullable Place outer, @Nullable BulkheadPlace lender, boolean isTrial) {
    this.bulkhead = bulkhead;
    this.outer = outer instanceof BulkheadPlace place ? place : null;
    this.lender = lender;
    this.isTrial = isTrial;
  }

  /** Whether {@code inner} is this place, or one that was taken within it. */
  boolean isAround(@Nullable BulkheadPlace inner) {
    BulkheadPlace place = inner;
    while (place != null && place != this) {
      place = place.outer;
    }
    return place == this;
  }

  @Override
  public void close() {
    bulkhead.close(this);
  }
}

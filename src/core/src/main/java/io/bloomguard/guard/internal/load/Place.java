package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.Finding;
import io.bloomguard.guard.internal.Entered;
import io.bloomguard.guard.internal.Held;
import io.bloomguard.guard.internal.load.Bulkhead.Entering;
import io.bloomguard.guard.internal.load.SingleFlight.Flight;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A place in a bulkhead, held by one load or request until it is closed.
 *
 * <p>A nested load takes no second place, because loads that need each other's places would wait
 * for each other: it borrows this place, unless another nested load borrows it. The place is free
 * when its holder and the last borrower have closed it.
 *
 * <p>The calling thread shows which load a load is nested in: {@link #enter} makes a place the
 * thread's. Work that a load hands to another thread by itself is not nested in it, unless that
 * thread enters the place.
 */
public final class Place implements Held {

  final Bulkhead bulkhead;

  /** The place of any bulkhead that the holder of this one worked in; null for none. */
  final @Nullable Place outer;

  /** The place that this one is borrowed from; null for one of the bulkhead's own. */
  final @Nullable Place lender;

  final boolean isTrial;

  // Guarded by the bulkhead's lock
  boolean isLent;
  boolean isClosed;

  /** The callers that wait to borrow this place. */
  final Set<Entering> queue = new LinkedHashSet<>(0);

  /** The flights that callers in this place, or nested in it, wait for, with their number. */
  final Map<Flight<?>, Integer> awaited = new HashMap<>(0);

  /** A place that is held from now on. */
  Place(Bulkhead bulkhead, @Nullable Place outer, @Nullable Place lender, boolean isTrial) {
    this.bulkhead = bulkhead;
    this.outer = outer;
    this.lender = lender;
    this.isTrial = isTrial;
  }

  /** The place that the calling thread works in; null for none. */
  public static @Nullable Place current() {
    Entered at = Entered.here();
    while (at != null && !(at.held() instanceof Place)) {
      at = at.outer();
    }
    return at == null ? null : (Place) at.held();
  }

  /** Whether {@code inner} is this place, or one that was taken within it. */
  boolean isAround(@Nullable Place inner) {
    Place place = inner;
    while (place != null && place != this) {
      place = place.outer;
    }
    return place == this;
  }

  /** Gives the place back, whatever was found; may be called more than once. */
  @Override
  public void end(Finding found) {
    bulkhead.close(this);
  }
}

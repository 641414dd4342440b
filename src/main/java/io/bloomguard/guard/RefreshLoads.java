package io.bloomguard.guard;

import io.bloomguard.guard.CacheLookup.Due;
import io.bloomguard.guard.GuardListener.LoadListener;
import io.bloomguard.guard.GuardListener.LoadResult;
import io.bloomguard.guard.KeyedLoads.LoadPermit;
import io.bloomguard.guard.KeyedLoads.Request;
import io.bloomguard.guard.SingleFlight.Flight;
import io.bloomguard.guard.SingleFlight.Landing;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads of values that are due but have not ended.
 *
 * <p>The caller that gets flight and lease loads within its own call, as for a miss; all others are
 * served with the present value and wait for nothing. Where the load fails, or finds no place in
 * the bulkhead, its caller is served with the present value as well, as long as the cache holds it:
 * a write drops it, and at its end it is gone.
 *
 * <p>A refresh that came to nothing is not tried again before a pause.
 */
final class RefreshLoads {

  private static final Logger LOG = LoggerFactory.getLogger(RefreshLoads.class);

  private final KeyedLoads loads;
  private final RefreshPauses pauses = new RefreshPauses(System::nanoTime);

  RefreshLoads(KeyedLoads loads) {
    this.loads = loads;
  }

  /** The value that this caller has loaded, or the present one. */
  <V, X extends Throwable> Answer<V> get(Request<V> request, Due<V> due, ValueLoader<V, X> loader)
      throws X {
    ReadView view = loads.view();
    Flight<V> flight = Flight.here();
    LoadPermit<V> right = begin(request, due, flight, view);
    Answer<V> found = right.found();
    if (found != null) {
      return found;
    }
    boolean[] begun = {false};
    ValueLoader<V, X> noted =
        () -> {
          begun[0] = true;
          return loader.load();
        };
    try {
      Answer<V> loaded =
          loads.loadUnder(right, request.refreshing(), noted, flight, System.nanoTime());
      succeeded(request);
      return loaded;
    } catch (Throwable e) {
      loads.flights().end(request.key(), flight);
      flight.completeExceptionally(e);
      Answer<V> present = present(request, view, e, begun[0]);
      if (present == null) {
        throw e;
      }
      return present;
    }
  }

  /**
   * The right to load a due value under {@code flight}, or what to answer in its place; then the
   * flight has landed.
   */
  <V> LoadPermit<V> begin(Request<V> request, Due<V> due, Flight<V> flight, ReadView view) {
    LoadPermit<V> present = LoadPermit.notToLoad(Answer.cached(due.value()));
    if (!tryBegin(request, flight)) {
      return present;
    }
    LoadPermit<V> right = present;
    try {
      right = acquire(request, due, view, present);
      return right;
    } finally {
      if (right.found() != null) {
        landNothing(request, flight);
      }
    }
  }

  /** Whether a caller may try to load a due value under {@code flight}, which it then leads. */
  <V> boolean tryBegin(Request<V> request, Flight<V> flight) {
    if (!pauses.isOver(request.key())
        || loads.flights().joinOrStart(request.key(), flight) != null) {
      return false;
    }
    // Another caller's try may have ended since the first look.
    if (pauses.isOver(request.key())) {
      pauses.begin(request.key());
      return true;
    }
    landNothing(request, flight);
    return false;
  }

  /** Ends the flight of a caller that does not load. */
  <V> void landNothing(Request<V> request, Flight<V> flight) {
    loads.flights().end(request.key(), flight);
    flight.complete(Landing.nothing());
  }

  /**
   * Whether a value is still to be loaded under the lease.
   *
   * @param now what the cache holds now
   * @param due what was found before the lease
   */
  static <V> boolean isToLoad(CacheLookup<V> now, Due<V> due, boolean outdated) {
    // A value that a write has dropped is no longer to be served: it is loaded as one missed.
    return now instanceof CacheLookup.Miss
        || (!outdated && now instanceof Due<V> again && again.version() == due.version());
  }

  private <V> LoadPermit<V> acquire(
      Request<V> request, Due<V> due, ReadView view, LoadPermit<V> present) {
    Lease lease = null;
    try {
      lease = request.cache().tryLease(request.key());
      if (lease == null) {
        return present;
      }
      CacheLookup<V> now = request.cache().lookAgain(request.key(), request.type());
      boolean outdated = loads.outdated(request, view);
      if (isToLoad(now, due, outdated)) {
        return LoadPermit.toLoad(lease, outdated);
      }
      loads.release(request, lease);
      Answer<V> newer = KeyedLoads.answer(request, now);
      return newer == null ? present : LoadPermit.notToLoad(newer);
    } catch (CacheUnavailableException e) {
      LOG.debug("No lease can be had; the present value is served", e);
      if (lease != null) {
        loads.release(request, lease);
      }
      return present;
    }
  }

  /** Notes that what was due has been loaded. */
  void succeeded(Request<?> request) {
    pauses.end(request.key());
  }

  /**
   * What is served in place of a load that failed; null where its failure is the caller's. A failed
   * load may have broken the transaction that it ran in: to hide that would only delay it.
   *
   * @param begun false if it found no place in the bulkhead
   */
  <V> @Nullable Answer<V> present(
      Request<V> request, ReadView view, Throwable failure, boolean begun) {
    return isHidden(request, view, failure, begun) ? loads.lookup(request) : null;
  }

  /** Whether the present value is served in place of a failure, which is counted. */
  static boolean isHidden(Request<?> request, ReadView view, Throwable failure, boolean begun) {
    if (!begun) {
      LoadListener missed = request.listener().ofRefreshes().onLoad();
      missed.onReturn();
      missed.onEnd(LoadResult.ERROR, 0);
    }
    LOG.debug("A value was not refreshed: {}", failure.getClass().getName());
    return failure instanceof Exception && (!begun || !view.inTransaction());
  }
}

package io.bloomguard.guard.load;

import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.CacheLookup.Due;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.Lease;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.load.SingleFlight.Flight;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads of values that are due but have not expired.
 *
 * <p>The caller that gets flight and lease loads within its own call, as for a miss; all others get
 * the present value and wait for nothing. If the load fails, or finds no place in the bulkhead, its
 * caller gets the present value as well, as long as the cache holds it: until a write drops it, or
 * it expires.
 *
 * <p>A refresh without a result is retried only after a pause.
 */
final class RefreshLoads {

  private static final Logger LOG = LoggerFactory.getLogger(RefreshLoads.class);

  private final KeyedLoads loads;
  private final LoadSteps steps;
  private final RefreshTurns turns;

  RefreshLoads(KeyedLoads loads, LoadSteps steps) {
    this.loads = loads;
    this.steps = steps;
    this.turns = steps.refreshes();
  }

  /** The value that this caller has loaded, or the present one. */
  <V, X extends Throwable> Answer<V> get(
      LoadRequest<V> request, Due<V> due, ValueLoader<V, X> loader) throws X {
    ReadView view = steps.view();
    boolean inTransaction = steps.inTransaction();
    Flight<V> flight = Flight.here();
    LoadPermit<V> permit = begin(request, due, flight, view);
    Answer<V> found = permit.found();
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
          loads.loadUnder(permit, request.refreshing(), noted, flight, System.nanoTime());
      turns.succeeded(request);
      return loaded;
    } catch (Throwable e) {
      steps.flights().end(request.key(), flight);
      flight.completeExceptionally(e);
      Answer<V> present = present(request, inTransaction, e, begun[0]);
      if (present == null) {
        throw e;
      }
      return present;
    }
  }

  /**
   * The permit to load a due value under {@code flight}, or the answer in its place; then the
   * flight has landed.
   */
  <V> LoadPermit<V> begin(LoadRequest<V> request, Due<V> due, Flight<V> flight, ReadView view) {
    LoadPermit<V> present = LoadPermit.notToLoad(Answer.cached(due.value()));
    if (!turns.tryBegin(request, flight)) {
      return present;
    }
    LoadPermit<V> permit = present;
    try {
      permit = acquire(request, due, view, present);
      return permit;
    } finally {
      if (permit.found() != null) {
        turns.landNothing(request, flight);
      }
    }
  }

  private <V> LoadPermit<V> acquire(
      LoadRequest<V> request, Due<V> due, ReadView view, LoadPermit<V> present) {
    Lease lease = null;
    try {
      lease = request.cache().tryLease(request.key());
      if (lease == null) {
        return present;
      }
      CacheLookup<V> now = request.cache().lookAgain(request.key(), request.type());
      boolean outdated = steps.outdated(request, view);
      if (RefreshTurns.isToLoad(now, due, outdated)) {
        return LoadPermit.toLoad(lease, outdated);
      }
      steps.release(request, lease);
      Answer<V> newer = LoadSteps.answer(request, now);
      return newer == null ? present : LoadPermit.notToLoad(newer);
    } catch (CacheUnavailableException e) {
      LOG.debug("No lease is available; the present value is served", e);
      if (lease != null) {
        steps.release(request, lease);
      }
      return present;
    }
  }

  /**
   * The answer in place of a failed load; null if the caller gets the failure. A failed load may
   * have broken the transaction that it ran in: hiding that would only delay the error.
   *
   * @param begun false if the load found no place in the bulkhead
   */
  <V> @Nullable Answer<V> present(
      LoadRequest<V> request, boolean inTransaction, Throwable failure, boolean begun) {
    return RefreshTurns.isHidden(request, inTransaction, failure, begun)
        ? steps.lookup(request)
        : null;
  }
}

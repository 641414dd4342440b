package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.CacheLookup.Due;
import io.bloomguard.guard.internal.GuardListener.LoadListener;
import io.bloomguard.guard.internal.GuardListener.LoadResult;
import io.bloomguard.guard.internal.load.SingleFlight.Flight;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The turns of callers to load a value that is due but has not expired, and the rule for a load of
 * it that fails.
 *
 * <p>The caller that gets flight and lease loads, as for a miss; all others get the present value
 * and wait for nothing. A refresh without a result is retried only after a pause.
 */
final class RefreshTurns {

  private static final Logger LOG = LoggerFactory.getLogger(RefreshTurns.class);

  private final SingleFlight flights;
  private final RefreshPauses pauses = new RefreshPauses(System::nanoTime);

  RefreshTurns(SingleFlight flights) {
    this.flights = flights;
  }

  /** Whether no other caller has tried to load a due value a moment ago. */
  boolean isOpen(LoadRequest<?> request) {
    return pauses.isOver(request.key());
  }

  /** Whether a caller may try to load a due value under {@code flight}, which it then leads. */
  <V> boolean tryBegin(LoadRequest<V> request, Flight<V> flight) {
    if (!isOpen(request) || flights.joinOrStart(request.key(), flight) != null) {
      return false;
    }
    // Another caller's try may have ended since the first look.
    if (isOpen(request)) {
      pauses.begin(request.key());
      return true;
    }
    flights.landNothing(request.key(), flight);
    return false;
  }

  /**
   * Whether a value is still to be loaded under the lease.
   *
   * @param now the entry that the cache holds now
   * @param due the entry that was found before the lease
   */
  static <V> boolean isToLoad(CacheLookup<V> now, Due<V> due, boolean outdated) {
    // A value that a write has dropped must not be served any more: it is loaded as after a miss.
    return now instanceof CacheLookup.Miss
        || (!outdated && now instanceof Due<V> again && again.version() == due.version());
  }

  /** Notes that the due value has been loaded. */
  void succeeded(LoadRequest<?> request) {
    pauses.end(request.key());
  }

  /**
   * Whether the present value is served in place of a failure, which is counted. A failed load may
   * have broken the transaction that it ran in: hiding that would only delay the error.
   *
   * @param begun false if the load found no place in the bulkhead
   */
  static boolean isHidden(
      LoadRequest<?> request, boolean inTransaction, Throwable failure, boolean begun) {
    if (!begun) {
      LoadListener missed = request.listener().ofRefreshes().onLoad();
      missed.onReturn();
      missed.onEnd(LoadResult.ERROR, 0);
    }
    LOG.debug("A value was not refreshed: {}", failure.getClass().getName());
    return failure instanceof Exception && (!begun || !inTransaction);
  }
}

package io.bloomguard.guard.load;

import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.GuardListener.MutexResult;
import io.bloomguard.guard.Place;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.load.SingleFlight.Flight;
import io.bloomguard.guard.load.SingleFlight.Landing;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The way from the filter's "possibly present" to a value: value cache, single flight, lease, load.
 *
 * <p>One caller leads the flight of a key and loads; the rest wait for its landing. A caller that
 * does not get the lease, because another process holds it, looks for the value again until it is
 * there. A caller that had to wait too long is shed: it never loads while another process holds a
 * valid lease.
 */
public final class KeyedLoads {

  private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

  private final LoadSteps steps;
  private final RefreshLoads refreshes;

  /**
   * @param steps the steps of the cache
   */
  public KeyedLoads(LoadSteps steps) {
    this.steps = steps;
    this.refreshes = new RefreshLoads(this, steps);
  }

  /**
   * The value of a key from the cache, from another caller's load, or from {@code loader}.
   *
   * <p>A request that the filter could not decide does not queue for the bulkhead, unless the key
   * was present when the filter last could: while the filter is out of action, all other requests
   * that the database cannot take at once are shed.
   */
  public <V, X extends Throwable> Answer<V> get(LoadRequest<V> request, ValueLoader<V, X> loader)
      throws X {
    if (steps.isWrittenHere(request.key())) {
      return Answer.loaded(alone(request, loader));
    }
    CacheLookup<V> held = steps.look(request);
    if (held instanceof CacheLookup.Due<V> due && steps.shares(request)) {
      return refreshes.get(request, due, loader);
    }
    Answer<V> cached = LoadSteps.answer(request, held);
    if (cached != null) {
      return cached;
    }
    long start = System.nanoTime();
    while (true) {
      long came = System.nanoTime();
      Flight<V> mine = Flight.here();
      Flight<V> theirs =
          steps.shares(request) ? steps.flights().joinOrStart(request.key(), mine) : null;
      if (theirs == null) {
        return lead(request, loader, mine, start);
      }
      if (theirs.isAround(Place.current())) {
        // The loader of this key asks for it again: it would wait for itself.
        return Answer.loaded(steps.timed(loader, request.listener()));
      }
      Answer<V> shared = steps.joined(request, await(theirs, request, start), came);
      if (shared != null) {
        request.listener().onMutexWait(MutexResult.SHARED, System.nanoTime() - start);
        return shared;
      }
    }
  }

  private <V, X extends Throwable> @Nullable V alone(
      LoadRequest<V> request, ValueLoader<V, X> loader) throws X {
    long nanos = steps.queueing(request.queues(), System.nanoTime());
    return steps.inPlace(nanos, () -> steps.timed(loader, request.listener()));
  }

  private <V, X extends Throwable> Answer<V> lead(
      LoadRequest<V> request, ValueLoader<V, X> loader, Flight<V> flight, long start) throws X {
    try {
      LoadPermit<V> permit = acquire(request, steps.view(), start);
      Answer<V> found = permit.found();
      if (found != null) {
        steps.flights().end(request.key(), flight);
        flight.complete(steps.landing(request, found.value(), true, permit.asOf()));
        return found;
      }
      return loadUnder(permit, request, loader, flight, start);
    } catch (Throwable e) {
      steps.flights().end(request.key(), flight);
      flight.completeExceptionally(e);
      throw e;
    }
  }

  <V, X extends Throwable> Answer<V> loadUnder(
      LoadPermit<V> permit,
      LoadRequest<V> request,
      ValueLoader<V, X> loader,
      Flight<V> flight,
      long start)
      throws X {
    boolean stored = false;
    try {
      long begin;
      V value;
      try (Place place = steps.bulkhead().enter(steps.queueing(request.queues(), start));
          Place.Scope scope = Place.enter(place)) {
        flight.loadsIn(place);
        begin = System.nanoTime();
        value = steps.timed(loader, request.listener());
      }
      Landing<V> landing = steps.stored(request, flight, permit, value, begin);
      stored = true;
      flight.complete(landing);
      return Answer.loaded(value);
    } finally {
      if (!stored) {
        steps.giveUp(request, permit);
      }
    }
  }

  private <V> LoadPermit<V> acquire(LoadRequest<V> request, ReadView view, long start) {
    long pause = FIRST_PAUSE;
    while (true) {
      LoadPermit<V> permit = steps.tryAcquire(request, view, start);
      if (permit != null) {
        return permit;
      }
      if (steps.remaining(start) == 0 || Thread.currentThread().isInterrupted()) {
        throw steps.waitedTooLong(request, start);
      }
      LockSupport.parkNanos(Math.min(pause, steps.remaining(start)));
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }
  }

  private <V> Landing<V> await(Flight<V> flight, LoadRequest<V> request, long start) {
    try {
      return flight.get(steps.remaining(start), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw KeyedLoads.<RuntimeException>unchecked(e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException e) {
      throw steps.waitedTooLong(request, start);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw steps.waitedTooLong(request, start);
    }
  }

  /** Callers that waited get the same exception as the load, checked ones included. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <X extends Throwable> RuntimeException unchecked(Throwable e) throws X {
    throw (X) e;
  }
}

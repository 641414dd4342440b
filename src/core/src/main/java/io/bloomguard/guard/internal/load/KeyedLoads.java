package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.internal.Place;
import io.bloomguard.guard.internal.load.SingleFlight.Flight;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Loads on the calling thread, which parks while its {@link KeyLoad} waits.
 *
 * <p>A hit is answered before a load begins.
 */
public final class KeyedLoads {

  private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

  private final LoadSteps steps;

  /**
   * @param steps the steps of the cache
   */
  public KeyedLoads(LoadSteps steps) {
    this.steps = steps;
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
      return new Parked<V, X>(request, loader).run(KeyLoad::alone);
    }
    CacheLookup<V> held = steps.look(request);
    Answer<V> cached = LoadSteps.answer(request, held);
    if (cached != null && !(held instanceof CacheLookup.Due && steps.refreshes().isOpen(request))) {
      return cached;
    }
    return new Parked<V, X>(request, loader).run(load -> load.looked(held));
  }

  /** A load on the thread that waits for it, which takes each step itself. */
  private final class Parked<V, X extends Throwable> extends KeyLoad<V> {

    private final ValueLoader<V, X> loader;
    private long pause = FIRST_PAUSE;

    /** What the thread does once the steps before have returned. */
    private @Nullable Runnable next;

    Parked(LoadRequest<V> request, ValueLoader<V, X> loader) {
      super(KeyedLoads.this.steps, request);
      this.loader = loader;
    }

    Answer<V> run(Consumer<KeyLoad<V>> first) throws X {
      first.accept(this);
      for (Runnable now = next; now != null; now = next) {
        next = null;
        now.run();
      }
      return this.<X>ended();
    }

    @Override
    void await(Flight<V> theirs, long came) {
      next = () -> awaitNow(theirs, came);
    }

    private void awaitNow(Flight<V> theirs, long came) {
      try {
        landed(theirs.get(steps.remaining(start), TimeUnit.NANOSECONDS), came);
      } catch (ExecutionException e) {
        fail(e.getCause() == null ? e : e.getCause());
      } catch (TimeoutException e) {
        expire();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        expire();
      }
    }

    @Override
    void again() {
      if (steps.remaining(start) == 0 || Thread.currentThread().isInterrupted()) {
        expire();
        return;
      }
      next =
          () -> {
            LockSupport.parkNanos(Math.min(pause, steps.remaining(start)));
            pause = Math.min(2 * pause, LONGEST_PAUSE);
            acquire();
          };
    }

    @Override
    void load(LoadPermit permit) {
      next = () -> loadNow(permit);
    }

    private void loadNow(LoadPermit permit) {
      long begin;
      V value;
      try (Place place = steps.bulkhead().enter(steps.queueing(loading().queues(), start));
          Scope scope = Place.enter(place)) {
        begin(place);
        begin = System.nanoTime();
        value = steps.timed(loader, loading().listener());
      } catch (Throwable e) {
        release(permit.lease());
        fail(e);
        return;
      }
      loaded(permit, value, begin);
    }
  }
}

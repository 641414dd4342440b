package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.internal.Place;
import io.bloomguard.guard.internal.load.LoadThreads.Timeout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The bound on loads that run at once in this process, and on the callers that wait for a place.
 */
public final class Bulkhead {

  private final int size;
  private final PlaceQueue places;
  private final Semaphore trials;
  private final int maxWaiting;
  private final AtomicInteger waiting = new AtomicInteger();
  private final LoadThreads threads;

  /**
   * All places are free.
   *
   * @param size the number of places
   * @param maxWaiting the most callers that wait; further ones are refused at once
   * @param threads the threads on which asynchronous callers get their place
   */
  public Bulkhead(int size, int maxWaiting, LoadThreads threads) {
    this.size = size;
    this.places = new PlaceQueue(size, () -> {});
    this.trials = new Semaphore(Math.max(1, size / 2));
    this.maxWaiting = maxWaiting;
    this.threads = threads;
  }

  /**
   * Takes a place, waiting up to {@code nanos} on the calling thread.
   *
   * @throws RequestShedException if there is none in that time, or the thread is interrupted
   */
  public Place enter(long nanos) {
    CallerThread thread = new CallerThread();
    CompletableFuture<Place> entering = enter(Place.current(), nanos, thread);
    thread.run(entering, () -> entering.completeExceptionally(LoadSteps.interrupted()));
    try {
      return entering.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RequestShedException shed ? shed : e;
    }
  }

  /**
   * Takes a place without blocking: at once, or on a thread of our own when one is free. A caller
   * that stops waiting cancels the future; a place that comes afterwards is given back.
   *
   * @param outer the place that the caller works in
   * @return fails with {@link RequestShedException} if there is none within {@code nanos}, or no
   *     thread to continue on
   */
  public CompletableFuture<Place> enterAsync(@Nullable Place outer, long nanos) {
    return enter(outer, nanos, threads);
  }

  /** Takes a place for a caller that waits in its own way. */
  CompletableFuture<Place> enter(@Nullable Place outer, long nanos, Waits waits) {
    Thread thread = waits.caller();
    if (thread != null && thread.isInterrupted()) {
      return CompletableFuture.failedFuture(LoadSteps.interrupted());
    }
    Place there = tryEnter(outer);
    if (there != null) {
      return CompletableFuture.completedFuture(there);
    }
    if (nanos <= 0 || !tryWait()) {
      return CompletableFuture.failedFuture(full());
    }
    Entering caller = new Entering(outer, waits);
    try {
      Timeout timeout = waits.after(nanos, () -> caller.completeExceptionally(full()));
      caller.whenComplete((place, failure) -> timeout.cancel());
    } catch (RequestShedException e) {
      caller.completeExceptionally(e);
    }
    // The place that the caller works in comes back even if no other place becomes free.
    PlaceQueue within = BulkheadPlace.within(outer, this);
    PlaceQueue queue = within != null && within.join(caller) ? within : places;
    if (queue == places) {
      places.join(caller);
    }
    caller.whenComplete(
        (place, failure) -> {
          waiting.decrementAndGet();
          queue.leave(caller);
        });
    return caller;
  }

  /**
   * Takes a place for the load of a rejected key, null if none is free. Such loads hold half of the
   * places at most: keys that exist must find a place during many requests for absent keys.
   */
  public @Nullable Place tryEnterTrial() {
    Place outer = Place.current();
    Place borrowed = borrow(outer);
    if (borrowed != null || !trials.tryAcquire()) {
      return borrowed;
    }
    if (!places.tryTake()) {
      trials.release();
      return null;
    }
    return new BulkheadPlace(
        this,
        outer,
        () -> {
          places.giveBack();
          trials.release();
        });
  }

  private @Nullable Place tryEnter(@Nullable Place outer) {
    Place borrowed = borrow(outer);
    return borrowed == null && places.tryTake() ? place(outer, places) : borrowed;
  }

  private @Nullable Place borrow(@Nullable Place outer) {
    PlaceQueue within = BulkheadPlace.within(outer, this);
    return within != null && within.tryTake() ? place(outer, within) : null;
  }

  private Place place(@Nullable Place outer, PlaceQueue queue) {
    return new BulkheadPlace(this, outer, queue::giveBack);
  }

  private boolean tryWait() {
    if (waiting.incrementAndGet() <= maxWaiting) {
      return true;
    }
    waiting.decrementAndGet();
    return false;
  }

  /** The number of callers that wait. */
  int waiting() {
    return waiting.get();
  }

  private RequestShedException full() {
    return new RequestShedException("All " + size + " places for loads are taken");
  }

  /** A caller that waits. */
  private final class Entering extends CompletableFuture<Place> implements PlaceQueue.Waiter {

    private final @Nullable Place outer;
    private final Waits waits;

    Entering(@Nullable Place outer, Waits waits) {
      this.outer = outer;
      this.waits = waits;
    }

    @Override
    public boolean granted(PlaceQueue queue) {
      try {
        waits.execute(
            () -> {
              Place mine = place(outer, queue);
              if (!complete(mine)) {
                mine.close();
              }
            });
        return true;
      } catch (RequestShedException e) {
        completeExceptionally(e);
        return false;
      }
    }
  }
}

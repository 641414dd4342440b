package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.internal.Place;
import io.bloomguard.guard.internal.load.LoadThreads.Timeout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
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
    this.places = new PlaceQueue(size);
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
    if (Thread.currentThread().isInterrupted()) {
      throw LoadSteps.interrupted();
    }
    Place outer = Place.current();
    Place there = tryEnter(outer);
    if (there != null) {
      return there;
    }
    if (nanos <= 0 || !tryWait()) {
      throw full();
    }
    try {
      Blocked caller = new Blocked();
      PlaceQueue queue = join(outer, caller);
      if (caller.await(nanos) || !queue.leave(caller)) {
        return place(outer, queue);
      }
      throw Thread.currentThread().isInterrupted() ? LoadSteps.interrupted() : full();
    } finally {
      waiting.decrementAndGet();
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
    Place there = tryEnter(outer);
    if (there != null) {
      return CompletableFuture.completedFuture(there);
    }
    if (nanos <= 0 || !tryWait()) {
      return CompletableFuture.failedFuture(full());
    }
    AsyncCaller caller = new AsyncCaller(outer);
    PlaceQueue queue = join(outer, caller);
    Timeout timeout = timeout(nanos, caller, queue);
    var unused =
        caller.place.whenComplete(
            (place, failure) -> {
              waiting.decrementAndGet();
              timeout.cancel();
              queue.leave(caller);
            });
    return caller.place;
  }

  private Timeout timeout(long nanos, AsyncCaller caller, PlaceQueue queue) {
    try {
      return threads.after(
          nanos,
          () -> {
            if (queue.leave(caller)) {
              caller.place.completeExceptionally(full());
            }
          });
    } catch (RequestShedException e) {
      caller.place.completeExceptionally(e);
      return () -> {};
    }
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

  /**
   * Waits for the place that the caller works in, which comes back even if no other place becomes
   * free; without such a place, waits for any.
   */
  private PlaceQueue join(@Nullable Place outer, PlaceQueue.Waiter caller) {
    PlaceQueue within = BulkheadPlace.within(outer, this);
    if (within != null && within.join(caller)) {
      return within;
    }
    places.join(caller);
    return places;
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

  /** A caller whose thread waits. */
  private static final class Blocked implements PlaceQueue.Waiter {

    private final Thread thread = Thread.currentThread();
    private volatile boolean granted;

    @Override
    public boolean granted(PlaceQueue queue) {
      granted = true;
      LockSupport.unpark(thread);
      return true;
    }

    /**
     * False if the time is over or the thread is interrupted; the thread then stays interrupted.
     */
    boolean await(long nanos) {
      long end = System.nanoTime() + nanos;
      while (!granted) {
        long left = end - System.nanoTime();
        if (left <= 0 || thread.isInterrupted()) {
          return false;
        }
        LockSupport.parkNanos(this, left);
      }
      return true;
    }
  }

  /** A caller without a waiting thread. */
  private final class AsyncCaller implements PlaceQueue.Waiter {

    private final CompletableFuture<Place> place = new CompletableFuture<>();
    private final @Nullable Place outer;

    AsyncCaller(@Nullable Place outer) {
      this.outer = outer;
    }

    @Override
    public boolean granted(PlaceQueue queue) {
      try {
        threads.execute(
            () -> {
              Place mine = place(outer, queue);
              if (!place.complete(mine)) {
                mine.close();
              }
            });
        return true;
      } catch (RequestShedException e) {
        place.completeExceptionally(e);
        return false;
      }
    }
  }
}

package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.internal.load.LoadThreads.Timeout;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The bound on loads that run at once in this process, and on the callers that wait for a place.
 */
public final class Bulkhead {

  private final ReentrantLock lock = new ReentrantLock();
  private final int size;
  private final int maxWaiting;
  private final LoadThreads threads;

  // Guarded by the lock, as the state of each place is.

  /** The callers that wait for a place of the bulkhead's own. */
  private final Set<Entering> queue = new LinkedHashSet<>();

  private int free;
  private int freeTrials;
  private int waiting;

  /**
   * All places are free.
   *
   * @param size the number of places
   * @param maxWaiting the most callers that wait; further ones are refused at once
   * @param threads the threads on which asynchronous callers get their place
   */
  public Bulkhead(int size, int maxWaiting, LoadThreads threads) {
    this.size = size;
    this.maxWaiting = maxWaiting;
    this.threads = threads;
    this.free = size;
    this.freeTrials = Math.max(1, size / 2);
  }

  /**
   * Takes a place, waiting up to {@code nanos} on the calling thread.
   *
   * @throws RequestShedException if there is none in that time, or the thread is interrupted
   */
  public Place enter(long nanos) {
    CallerThread thread = new CallerThread();
    return thread.await(enter(Place.current(), nanos, thread));
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
  public CompletableFuture<Place> enter(@Nullable Place outer, long nanos, Waits waits) {
    Thread thread = waits.caller();
    if (thread != null && thread.isInterrupted()) {
      return CompletableFuture.failedFuture(CacheLoads.interrupted());
    }
    Entering caller;
    lock.lock();
    try {
      Place there = tryTake(outer, false);
      if (there != null) {
        return CompletableFuture.completedFuture(there);
      }
      if (nanos <= 0 || waiting == maxWaiting) {
        return CompletableFuture.failedFuture(full());
      }
      // The place that the caller works in comes back even if no other place becomes free.
      caller = new Entering(new Place(this, outer, lender(outer), false), waits);
      waiting++;
      caller.queue().add(caller);
    } finally {
      lock.unlock();
    }
    caller.whenComplete((place, failure) -> left(caller));
    waits.onInterrupt(() -> caller.completeExceptionally(CacheLoads.interrupted()));
    try {
      Timeout timeout = waits.after(nanos, () -> caller.completeExceptionally(full()));
      caller.whenComplete((place, failure) -> timeout.cancel());
    } catch (RequestShedException e) {
      caller.completeExceptionally(e);
    }
    return caller;
  }

  /**
   * Takes a place for the load of a rejected key, null if none is free. Such loads hold half of the
   * places at most: keys that exist must find a place during many requests for absent keys.
   */
  public @Nullable Place tryEnterTrial() {
    lock.lock();
    try {
      return tryTake(Place.current(), true);
    } finally {
      lock.unlock();
    }
  }

  /** Borrows the place that the caller works in, or takes one of the bulkhead's own. */
  private @Nullable Place tryTake(@Nullable Place outer, boolean trial) {
    Place lender = lender(outer);
    if (lender != null && !lender.isLent) {
      lender.isLent = true;
      return new Place(this, outer, lender, false);
    }
    if (free == 0 || (trial && freeTrials == 0)) {
      return null;
    }
    free--;
    freeTrials -= trial ? 1 : 0;
    return new Place(this, outer, null, trial);
  }

  /** The place of this bulkhead that the loads nested in {@code outer} borrow; null for none. */
  private @Nullable Place lender(@Nullable Place outer) {
    return outer != null && outer.bulkhead == this && !outer.isClosed ? outer : null;
  }

  /** Gives a place back; while it is lent, its borrower does so. */
  void close(Place place) {
    Entering next;
    lock.lock();
    try {
      if (place.isClosed) {
        return;
      }
      place.isClosed = true;
      next = place.isLent ? null : next(place);
    } finally {
      lock.unlock();
    }
    while (next != null && !next.isGranted()) {
      next = next(next.mine.lender);
    }
  }

  /**
   * The caller that gets a place next, the longest waiting one; null if there is none.
   *
   * @param from the place that nobody borrows any more; null for one of the bulkhead's own
   */
  private @Nullable Entering next(@Nullable Place from) {
    lock.lock();
    try {
      Iterator<Entering> callers = (from == null ? queue : from.queue).iterator();
      if (callers.hasNext()) {
        Entering next = callers.next();
        callers.remove();
        return next;
      }
      if (from == null) {
        free++;
        return null;
      }
      from.isLent = false;
      freeTrials += from.isClosed && from.isTrial ? 1 : 0;
      return from.isClosed ? next(from.lender) : null;
    } finally {
      lock.unlock();
    }
  }

  private void left(Entering caller) {
    lock.lock();
    try {
      waiting--;
      caller.queue().remove(caller);
    } finally {
      lock.unlock();
    }
  }

  /** The number of callers that wait. */
  int waiting() {
    lock.lock();
    try {
      return waiting;
    } finally {
      lock.unlock();
    }
  }

  private RequestShedException full() {
    return new RequestShedException("All " + size + " places for loads are taken");
  }

  /** A caller that waits. */
  final class Entering extends CompletableFuture<Place> {

    private final Place mine;
    private final Waits waits;

    /**
     * @param mine held once it is granted: one of its lender, or any of the bulkhead's own
     */
    Entering(Place mine, Waits waits) {
      this.mine = mine;
      this.waits = waits;
    }

    private Set<Entering> queue() {
      return mine.lender == null ? queue : mine.lender.queue;
    }

    /** Hands a place over; false if the caller cannot use it, and the next one gets it. */
    private boolean isGranted() {
      try {
        waits.execute(
            () -> {
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

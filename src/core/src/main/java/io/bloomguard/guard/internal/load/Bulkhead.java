package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.RequestShedException;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
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
    CompletableFuture<Place> entering = enter(Place.current(), nanos, true);
    return LoadStages.<Place, RequestShedException>result(entering);
  }

  /**
   * Takes a place for a caller that waits on its thread, or for one that must not: it gets its
   * place at once, or on a thread of our own when one is free. If it stops waiting, it cancels the
   * future; a place that comes afterwards is given back.
   *
   * @param outer the place that the caller works in
   * @param waits whether the calling thread waits: the future has ended then
   * @return fails with {@link RequestShedException} if there is none within {@code nanos}, or no
   *     thread to continue on
   */
  public CompletableFuture<Place> enter(@Nullable Place outer, long nanos, boolean waits) {
    if (waits && Thread.currentThread().isInterrupted()) {
      return CompletableFuture.failedFuture(CacheLoads.interrupted());
    }
    CompletableFuture<Place> caller = queue(outer, nanos, waits ? Runnable::run : threads);
    if (waits && !LoadStages.await(caller, nanos)) {
      caller.completeExceptionally(
          Thread.currentThread().isInterrupted() ? CacheLoads.interrupted() : full());
    } else if (!caller.isDone()) {
      Future<?> timeout = threads.after(nanos, () -> caller.completeExceptionally(full()));
      caller.whenComplete((place, failure) -> timeout.cancel(false));
    }
    return caller;
  }

  /**
   * Takes a place, or one in the queue.
   *
   * @param granted those on which the caller gets its place later
   */
  CompletableFuture<Place> queue(@Nullable Place outer, long nanos, Executor granted) {
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
      caller = new Entering(new Place(this, outer, lender(outer), false), granted);
      waiting++;
      caller.queue().add(caller);
    } finally {
      lock.unlock();
    }
    caller.whenComplete((place, failure) -> left(caller));
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
    private final Executor threads;

    /**
     * @param mine held once it is granted: one of its lender, or any of the bulkhead's own
     * @param threads those on which the caller gets it
     */
    Entering(Place mine, Executor threads) {
      this.mine = mine;
      this.threads = threads;
    }

    private Set<Entering> queue() {
      return mine.lender == null ? queue : mine.lender.queue;
    }

    /** Hands a place over; false if the caller cannot use it, and the next one gets it. */
    private boolean isGranted() {
      try {
        threads.execute(
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

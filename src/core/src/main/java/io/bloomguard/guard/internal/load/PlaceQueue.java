package io.bloomguard.guard.internal.load;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A number of equal places, and the callers that wait for one, first come first served.
 *
 * <p>The lock is held for a few steps in memory, and never during a call to other code.
 */
final class PlaceQueue {

  /** A caller that waits. */
  interface Waiter {

    /**
     * Grants a place of {@code queue} to the waiter. Called once, by the thread that gave the place
     * back or by the caller's own thread: returns at once.
     *
     * @return false if the waiter cannot use the place, which then goes to the next one
     */
    boolean granted(PlaceQueue queue);
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Set<Waiter> waiting = new LinkedHashSet<>();
  private final int size;
  private final Runnable whenEmpty;
  private int free;
  private boolean closed;

  /**
   * @param whenEmpty runs once the queue is closed and all places are free
   */
  PlaceQueue(int size, Runnable whenEmpty) {
    this.size = size;
    this.whenEmpty = whenEmpty;
    this.free = size;
  }

  /** Takes a place; false if none is free. */
  boolean tryTake() {
    lock.lock();
    try {
      boolean taken = !closed && free > 0;
      free -= taken ? 1 : 0;
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** Grants {@code waiter} a place now or later; false if the queue is closed. */
  boolean join(Waiter waiter) {
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      waiting.add(waiter);
      if (free == 0) {
        return true;
      }
      free--;
    } finally {
      lock.unlock();
    }
    giveBack();
    return true;
  }

  /**
   * Stops waiting; false if {@code waiter} does not wait, for example because a place was granted.
   */
  boolean leave(Waiter waiter) {
    lock.lock();
    try {
      return waiting.remove(waiter);
    } finally {
      lock.unlock();
    }
  }

  /** Gives a place back; the waiter that has waited longest gets it, if there is one. */
  void giveBack() {
    Waiter next;
    do {
      next = next();
    } while (next != null && !next.granted(this));
  }

  /** The waiter that gets the place; null if there is none, and the place is free. */
  private @Nullable Waiter next() {
    lock.lock();
    try {
      Iterator<Waiter> first = waiting.iterator();
      if (first.hasNext()) {
        Waiter next = first.next();
        first.remove();
        return next;
      }
      free++;
      if (!closed || free < size) {
        return null;
      }
    } finally {
      lock.unlock();
    }
    whenEmpty.run();
    return null;
  }

  /** Refuses further callers; the present ones, waiting ones included, keep their places. */
  void close() {
    lock.lock();
    try {
      boolean ends = !closed && free == size;
      closed = true;
      if (!ends) {
        return;
      }
    } finally {
      lock.unlock();
    }
    whenEmpty.run();
  }
}

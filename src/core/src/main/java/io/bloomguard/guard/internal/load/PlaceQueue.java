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
  private int free;
  private boolean closed;
  private @Nullable Runnable whenEmpty;

  PlaceQueue(int size) {
    this.size = size;
    this.free = size;
  }

  /** Takes a place; false if none is free. */
  boolean tryTake() {
    lock.lock();
    try {
      if (closed || free == 0) {
        return false;
      }
      free--;
      return true;
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
      if (free == 0) {
        waiting.add(waiter);
        return true;
      }
      free--;
    } finally {
      lock.unlock();
    }
    if (!waiter.granted(this)) {
      giveBack();
    }
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
    for (Waiter next = next(); next != null; next = next()) {
      if (next.granted(this)) {
        return;
      }
    }
  }

  /** The waiter that gets the place; null if there is none, and the place is free. */
  private @Nullable Waiter next() {
    Runnable then;
    lock.lock();
    try {
      Iterator<Waiter> first = waiting.iterator();
      if (first.hasNext()) {
        Waiter next = first.next();
        first.remove();
        return next;
      }
      free++;
      then = emptied();
    } finally {
      lock.unlock();
    }
    if (then != null) {
      then.run();
    }
    return null;
  }

  /**
   * Refuses further callers, and runs {@code then} when the present callers, waiting ones included,
   * have given their places back. Later calls do nothing.
   */
  void close(Runnable then) {
    Runnable now;
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      whenEmpty = then;
      now = emptied();
    } finally {
      lock.unlock();
    }
    if (now != null) {
      now.run();
    }
  }

  private @Nullable Runnable emptied() {
    Runnable then = free == size ? whenEmpty : null;
    if (then != null) {
      whenEmpty = null;
    }
    return then;
  }
}

package io.bloomguard.guard.internal.load;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The loads under way in this process, at most one for each key.
 *
 * <p>A load takes further callers until its value is being stored. A write that ends before that
 * revokes the load's lease. The load may miss a write that ends later, so a caller that arrives
 * then starts a flight of its own.
 */
final class SingleFlight {

  private final ConcurrentMap<String, Flight<?>> flights = new ConcurrentHashMap<>();

  /** Joins the flight of {@code key}, or starts {@code mine} and returns null. */
  @SuppressWarnings("unchecked") // all loads of a cache have one value type, checked at startup
  <V> @Nullable Flight<V> joinOrStart(String key, Flight<V> mine) {
    return (Flight<V>) flights.putIfAbsent(key, mine);
  }

  /** Ends {@code flight}: later callers start their own. */
  void end(String key, Flight<?> flight) {
    flights.remove(key, flight);
  }

  /**
   * Ends the flight of a caller without a result, before it lands: callers that waited try again.
   */
  <V> void landNothing(String key, Flight<V> flight) {
    end(key, flight);
    flight.complete(Landing.nothing());
  }

  /** Detaches the flight of {@code key}, because a write has overtaken it. */
  void forget(String key) {
    flights.remove(key);
  }

  /** Detaches all flights. */
  void forgetAll() {
    flights.clear();
  }

  /** One load, and all callers that wait for it. */
  static final class Flight<V> extends CompletableFuture<Landing<V>> {

    /** Guards the flights that places await; taken by callers within a load alone. */
    private static final ReentrantLock WAITS = new ReentrantLock();

    private final @Nullable Thread leader;
    private volatile @Nullable Place place;

    /**
     * @param leader the thread that the load stays on; null for none
     */
    Flight(@Nullable Thread leader) {
      this.leader = leader;
    }

    /** Notes the place that the load works in. */
    void loadsIn(@Nullable Place taken) {
      place = taken;
    }

    /**
     * Notes that a caller is to wait for this flight; false if it would wait for itself, because
     * the calling thread is within the load, or within one that the load waits for.
     *
     * @param within the place that the caller works in
     * @param answer the end of the caller's wait, unless the flight lands before
     */
    boolean tryAwait(@Nullable Place within, CompletableFuture<?> answer) {
      if (Thread.currentThread().equals(leader)) {
        return false;
      }
      if (within == null) {
        return true; // No load waits for the caller.
      }
      WAITS.lock();
      try {
        if (needs(within, new HashSet<>())) {
          return false;
        }
        count(within, 1);
      } finally {
        WAITS.unlock();
      }
      var unused =
          CompletableFuture.anyOf(this, answer)
              .whenComplete(
                  (any, failure) -> {
                    WAITS.lock();
                    try {
                      count(within, -1);
                    } finally {
                      WAITS.unlock();
                    }
                  });
      return true;
    }

    /** Whether the load is around a place, or waits for one that is. */
    private boolean needs(Place inner, Set<Flight<?>> seen) {
      Place mine = place;
      if (mine == null || !seen.add(this)) {
        return false;
      }
      return mine.isAround(inner)
          || mine.awaited.keySet().stream().anyMatch(next -> next.needs(inner, seen));
    }

    /** Counts the callers in a place, and in those around it, that wait for this flight. */
    private void count(Place inner, int callers) {
      for (Place at = inner; at != null; at = at.outer) {
        int all = at.awaited.getOrDefault(this, 0) + callers;
        if (all == 0) {
          at.awaited.remove(this);
        } else {
          at.awaited.put(this, all);
        }
      }
    }
  }

  /**
   * The result of a flight.
   *
   * @param value the value, null for none
   * @param shareable false if a write overtook the load or it was given up: callers that waited try
   *     again
   * @param asOf the {@code nanoTime} of the result: a later caller may know of a write that the
   *     result does not cover, and tries again
   */
  record Landing<V>(@Nullable V value, boolean shareable, long asOf) {

    /** A result that cannot be shared. */
    static <V> Landing<V> nothing() {
      return new Landing<>(null, false, System.nanoTime());
    }
  }
}

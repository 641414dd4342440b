package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.internal.Place;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
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

    private final @Nullable Thread leader;
    private volatile @Nullable Place place;

    private Flight(@Nullable Thread leader) {
      this.leader = leader;
    }

    /** A flight whose load runs on the calling thread. */
    static <V> Flight<V> here() {
      return new Flight<>(Thread.currentThread());
    }

    /** A flight whose load ends on another thread. */
    static <V> Flight<V> elsewhere() {
      return new Flight<>(null);
    }

    /** Notes the place that the load works in. */
    void loadsIn(@Nullable Place taken) {
      place = taken;
    }

    /**
     * Whether the calling thread is within the load, which waits for itself if it joins.
     *
     * @param within the place that the caller works in
     */
    boolean isAround(@Nullable Place within) {
      return Thread.currentThread().equals(leader)
          || (place instanceof BulkheadPlace mine && mine.isAround(within));
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

package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.AsyncValueCache;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.internal.Place;
import io.bloomguard.guard.internal.load.SingleFlight.Flight;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The holdings of a rejected key's load: its flight, its lease and a place in the bulkhead, taken
 * at once or not at all. Its value is neither stored nor shared.
 *
 * @param place null if the batch of the key holds the place
 * @param end gives back flight and lease
 */
public record TrialPlaces(@Nullable Place place, Runnable end) {

  private static final Logger LOG = LoggerFactory.getLogger(TrialPlaces.class);
  private static final CompletableFuture<@Nullable TrialPlaces> NONE =
      CompletableFuture.completedFuture(null);

  /** Takes all of them without waiting; null if another caller has one of them. */
  public static @Nullable TrialPlaces tryTake(CacheLoads loads, String key) {
    Place place = loads.bulkhead().tryEnterTrial();
    return take(loads, key, true, Thread.currentThread(), place, place).join();
  }

  /** Takes the places of a trial, for a caller whose thread must not wait for the cache. */
  public static CompletableFuture<@Nullable TrialPlaces> takeAsync(
      CacheLoads loads, String key, boolean onCaller) {
    Place place = loads.bulkhead().tryEnterTrial();
    return take(loads, key, onCaller, null, place, place);
  }

  /** Takes flight and lease of one key of a batch, which holds a place in the bulkhead. */
  public static @Nullable TrialPlaces tryTakeKey(CacheLoads loads, String key, Place held) {
    return take(loads, key, true, Thread.currentThread(), held, null).join();
  }

  /**
   * Takes flight and lease.
   *
   * @param within the place that the load works in; null if there is none, and so no trial
   * @param own the same, if it ends with the trial
   */
  private static CompletableFuture<@Nullable TrialPlaces> take(
      CacheLoads loads,
      String key,
      boolean onCaller,
      @Nullable Thread leader,
      @Nullable Place within,
      @Nullable Place own) {
    if (within == null) {
      return NONE;
    }
    Flight<Object> flight = new Flight<>(leader);
    flight.loadsIn(within);
    TrialPlaces untaken = new TrialPlaces(own, () -> loads.flights.landNothing(key, flight));
    if (loads.flights.joinOrStart(key, flight) != null) {
      untaken.giveBack();
      return NONE;
    }
    ValueCache cache = loads.cacheOfCall();
    AsyncValueCache later = cache.async(loads.threads());
    return (onCaller ? AsyncValueCache.onCallingThread(cache) : later)
        .tryLease(key)
        .<@Nullable TrialPlaces>handle(
            (lease, failure) -> {
              if (failure != null) {
                LOG.debug("A rejection is not verified: no lease is available", failure);
              }
              if (lease == null) {
                untaken.giveBack();
                return null;
              }
              return new TrialPlaces(
                  own,
                  () -> {
                    CacheLoads.release(later, lease);
                    untaken.end.run();
                  });
            });
  }

  /** Gives all of them back. */
  public void giveBack() {
    end.run();
    if (place != null) {
      place.close();
    }
  }
}

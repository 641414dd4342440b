package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.AsyncValueCache;
import io.bloomguard.guard.Lease;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.internal.Place;
import io.bloomguard.guard.internal.load.SingleFlight.Flight;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The holdings of a rejected key's load: its flight, its lease and a place in the bulkhead, taken
 * at once or not at all. Its value is neither stored nor shared.
 */
public final class TrialPlaces {

  private static final Logger LOG = LoggerFactory.getLogger(TrialPlaces.class);

  private final CacheLoads loads;
  private final String key;
  private final ValueCache cache;
  private final Flight<Object> flight;

  /** Null if the batch of the key holds the place. */
  private final @Nullable Place place;

  private final AtomicBoolean given = new AtomicBoolean();
  private volatile @Nullable Lease lease;

  private TrialPlaces(CacheLoads loads, String key, Flight<Object> flight, @Nullable Place place) {
    this.loads = loads;
    this.key = key;
    this.cache = loads.cacheOfCall();
    this.flight = flight;
    this.place = place;
  }

  /** Takes all of them without waiting; null if another caller has one of them. */
  public static @Nullable TrialPlaces tryTake(CacheLoads loads, String key) {
    return take(loads, key, true, new Flight<>(Thread.currentThread())).join();
  }

  /** Takes the places of a trial, for a caller whose thread must not wait for the cache. */
  public static CompletableFuture<@Nullable TrialPlaces> takeAsync(
      CacheLoads loads, String key, boolean onCaller) {
    return take(loads, key, onCaller, new Flight<>(null));
  }

  /** Takes flight and lease of one key of a batch, which holds a place in the bulkhead. */
  public static @Nullable TrialPlaces tryTakeKey(CacheLoads loads, String key, Place held) {
    Flight<Object> flight = new Flight<>(Thread.currentThread());
    flight.loadsIn(held);
    return new TrialPlaces(loads, key, flight, null).begin(true).join();
  }

  private static CompletableFuture<@Nullable TrialPlaces> take(
      CacheLoads loads, String key, boolean onCaller, Flight<Object> flight) {
    Place place = loads.bulkhead().tryEnterTrial();
    if (place == null) {
      return CompletableFuture.completedFuture(null);
    }
    flight.loadsIn(place);
    return new TrialPlaces(loads, key, flight, place).begin(onCaller);
  }

  private CompletableFuture<@Nullable TrialPlaces> begin(boolean onCaller) {
    if (loads.flights.joinOrStart(key, flight) != null) {
      giveBack();
      return CompletableFuture.completedFuture(null);
    }
    AsyncValueCache taking =
        onCaller ? AsyncValueCache.onCallingThread(cache) : cache.async(loads.threads());
    return taking
        .tryLease(key)
        .<@Nullable TrialPlaces>handle(
            (taken, failure) -> {
              if (failure != null) {
                LOG.debug("A rejection is not verified: no lease is available", failure);
              }
              lease = taken;
              if (taken == null) {
                giveBack();
                return null;
              }
              return this;
            });
  }

  public @Nullable Place place() {
    return place;
  }

  /** Gives all of them back; may be called repeatedly. */
  public void giveBack() {
    if (!given.compareAndSet(false, true)) {
      return;
    }
    Lease held = lease;
    if (held != null) {
      CacheLoads.release(cache.async(loads.threads()), held);
    }
    loads.flights.landNothing(key, flight);
    if (place != null) {
      place.close();
    }
  }
}

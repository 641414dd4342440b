package io.bloomguard.guard;

import io.bloomguard.guard.SingleFlight.Flight;
import io.bloomguard.guard.SingleFlight.Landing;
import io.bloomguard.guard.load.Place;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the load of a rejected key holds: its flight, its lease and a place in the bulkhead, taken
 * at once or not at all. Nothing that it loads is stored or shared.
 */
final class TrialPlaces {

  private static final Logger LOG = LoggerFactory.getLogger(TrialPlaces.class);

  private final KeyedLoads loads;
  private final String key;
  private final ValueCache cache;
  private final Flight<Object> flight;

  /** Null where the batch of the key has it. */
  private final @Nullable Place place;

  private final AtomicBoolean given = new AtomicBoolean();
  private volatile @Nullable Lease lease;

  private TrialPlaces(KeyedLoads loads, String key, Flight<Object> flight, @Nullable Place place) {
    this.loads = loads;
    this.key = key;
    this.cache = loads.cacheOfCall();
    this.flight = flight;
    this.place = place;
  }

  /** Takes all of them without waiting; null where one is another's. */
  static @Nullable TrialPlaces tryTake(KeyedLoads loads, String key, Flight<Object> flight) {
    Place place = loads.bulkhead().tryEnterTrial();
    if (place == null) {
      return null;
    }
    TrialPlaces places = tryTake(loads, key, flight, place);
    if (places == null) {
      place.close();
    }
    return places;
  }

  /** The same for a caller whose thread must not wait for the cache. */
  static CompletableFuture<@Nullable TrialPlaces> takeLater(
      KeyedLoads loads, String key, boolean onCaller) {
    Place place = loads.bulkhead().tryEnterTrial();
    if (place == null) {
      return CompletableFuture.completedFuture(null);
    }
    Flight<Object> flight = Flight.elsewhere();
    TrialPlaces places = new TrialPlaces(loads, key, flight, place);
    if (loads.flights().joinOrStart(key, flight) != null) {
      place.close();
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<@Nullable Lease> taking;
    try {
      taking =
          onCaller
              ? AsyncValueCache.onCallingThread(places.cache).tryLease(key)
              : places.cache.async(loads.threads()).tryLease(key);
    } catch (RuntimeException e) {
      taking = CompletableFuture.failedFuture(e);
    }
    return taking.<@Nullable TrialPlaces>handle(
        (lease, failure) -> {
          places.lease = lease;
          if (lease == null) {
            places.giveBack();
            return null;
          }
          return places;
        });
  }

  /** Takes flight and lease of one key of a batch, which has one place in the bulkhead. */
  static @Nullable TrialPlaces tryTakeKey(KeyedLoads loads, String key, Flight<Object> flight) {
    return tryTake(loads, key, flight, null);
  }

  private static @Nullable TrialPlaces tryTake(
      KeyedLoads loads, String key, Flight<Object> flight, @Nullable Place place) {
    TrialPlaces places = new TrialPlaces(loads, key, flight, place);
    if (loads.flights().joinOrStart(key, places.flight) != null) {
      return null;
    }
    try {
      places.lease = places.cache.tryLease(key);
    } catch (RuntimeException e) {
      LOG.debug("A rejection is not verified: no lease can be had", e);
    }
    if (places.lease == null) {
      places.land();
      return null;
    }
    return places;
  }

  @Nullable Place place() {
    return place;
  }

  /** Gives all of them back; may be called more than once. */
  void giveBack() {
    if (!given.compareAndSet(false, true)) {
      return;
    }
    Lease held = lease;
    if (held != null) {
      loads.releaseLater(cache, held);
    }
    land();
    if (place != null) {
      place.close();
    }
  }

  /** The flight ends before it lands: what waited for it begins again. */
  private void land() {
    loads.flights().end(key, flight);
    flight.complete(Landing.nothing());
  }
}

package io.bloomguard.guard.load;

import io.bloomguard.guard.AsyncValueCache;
import io.bloomguard.guard.Lease;
import io.bloomguard.guard.Place;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.load.SingleFlight.Flight;
import io.bloomguard.guard.load.SingleFlight.Landing;
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

  private final LoadSteps steps;
  private final String key;
  private final ValueCache cache;
  private final Flight<Object> flight;

  /** Null if the batch of the key holds the place. */
  private final @Nullable Place place;

  private final AtomicBoolean given = new AtomicBoolean();
  private volatile @Nullable Lease lease;

  private TrialPlaces(LoadSteps steps, String key, Flight<Object> flight, @Nullable Place place) {
    this.steps = steps;
    this.key = key;
    this.cache = steps.cacheOfCall();
    this.flight = flight;
    this.place = place;
  }

  /** Takes all of them without waiting; null if another caller has one of them. */
  public static @Nullable TrialPlaces tryTake(LoadSteps steps, String key) {
    Place place = steps.bulkhead().tryEnterTrial();
    if (place == null) {
      return null;
    }
    TrialPlaces places = tryTake(steps, key, place);
    if (places == null) {
      place.close();
    }
    return places;
  }

  /** Takes the places of a trial, for a caller whose thread must not wait for the cache. */
  public static CompletableFuture<@Nullable TrialPlaces> takeAsync(
      LoadSteps steps, String key, boolean onCaller) {
    Place place = steps.bulkhead().tryEnterTrial();
    if (place == null) {
      return CompletableFuture.completedFuture(null);
    }
    Flight<Object> flight = Flight.elsewhere();
    TrialPlaces places = new TrialPlaces(steps, key, flight, place);
    if (steps.flights().joinOrStart(key, flight) != null) {
      place.close();
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<@Nullable Lease> taking;
    try {
      taking =
          onCaller
              ? AsyncValueCache.onCallingThread(places.cache).tryLease(key)
              : places.cache.async(steps.threads()).tryLease(key);
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
  public static @Nullable TrialPlaces tryTakeKey(LoadSteps steps, String key) {
    return tryTake(steps, key, null);
  }

  private static @Nullable TrialPlaces tryTake(LoadSteps steps, String key, @Nullable Place place) {
    TrialPlaces places = new TrialPlaces(steps, key, Flight.here(), place);
    if (steps.flights().joinOrStart(key, places.flight) != null) {
      return null;
    }
    try {
      places.lease = places.cache.tryLease(key);
    } catch (RuntimeException e) {
      LOG.debug("A rejection is not verified: no lease is available", e);
    }
    if (places.lease == null) {
      places.land();
      return null;
    }
    return places;
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
      steps.releaseAsync(cache, held);
    }
    land();
    if (place != null) {
      place.close();
    }
  }

  /** Ends the flight before it lands: callers that waited for it begin again. */
  private void land() {
    steps.flights().end(key, flight);
    flight.complete(Landing.nothing());
  }
}

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
    return take(steps, key, true, new Flight<>(Thread.currentThread())).join();
  }

  /** Takes the places of a trial, for a caller whose thread must not wait for the cache. */
  public static CompletableFuture<@Nullable TrialPlaces> takeAsync(
      LoadSteps steps, String key, boolean onCaller) {
    return take(steps, key, onCaller, new Flight<>(null));
  }

  /** Takes flight and lease of one key of a batch, which holds a place in the bulkhead. */
  public static @Nullable TrialPlaces tryTakeKey(LoadSteps steps, String key, Place held) {
    Flight<Object> flight = new Flight<>(Thread.currentThread());
    flight.loadsIn(held);
    return new TrialPlaces(steps, key, flight, null).begin(true).join();
  }

  private static CompletableFuture<@Nullable TrialPlaces> take(
      LoadSteps steps, String key, boolean onCaller, Flight<Object> flight) {
    Place place = steps.bulkhead().tryEnterTrial();
    if (place == null) {
      return CompletableFuture.completedFuture(null);
    }
    flight.loadsIn(place);
    return new TrialPlaces(steps, key, flight, place).begin(onCaller);
  }

  private CompletableFuture<@Nullable TrialPlaces> begin(boolean onCaller) {
    if (steps.flights.joinOrStart(key, flight) != null) {
      giveBack();
      return CompletableFuture.completedFuture(null);
    }
    AsyncValueCache taking =
        onCaller ? AsyncValueCache.onCallingThread(cache) : cache.async(steps.threads());
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
      LoadSteps.release(cache.async(steps.threads()), held);
    }
    steps.flights.landNothing(key, flight);
    if (place != null) {
      place.close();
    }
  }
}

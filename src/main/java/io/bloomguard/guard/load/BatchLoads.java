package io.bloomguard.guard.load;

import io.bloomguard.guard.BatchLoader;
import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.GuardListener;
import io.bloomguard.guard.Place;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.load.SingleFlight.Flight;
import io.bloomguard.guard.load.SingleFlight.Landing;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Loads of many keys: one lookup for all keys, one load for the keys whose lease was free.
 *
 * <p>Leases are taken one after the other, and the first must not end before its load: if taking
 * them takes too long, another round loads the rest.
 *
 * <p>A batch waits for each key that another caller is loading separately, after its own load has
 * landed, so that two batches never wait for each other.
 */
public final class BatchLoads {

  private final LoadSteps steps;
  private final Alone alone;

  /**
   * @param alone loads a key that another caller was loading
   */
  public BatchLoads(LoadSteps steps, Alone alone) {
    this.steps = steps;
    this.alone = alone;
  }

  /** The load of a single key, which waits for other callers that load it. */
  @FunctionalInterface
  public interface Alone {

    <V, X extends Throwable> Answer<V> get(LoadRequest<V> request, ValueLoader<V, X> loader)
        throws X;
  }

  /**
   * Passes the answer of each of {@code requests}, whose values are the caller's own form of the
   * key, to {@code answers}.
   */
  public <K, V, X extends Throwable> void get(
      Map<LoadRequest<V>, K> requests,
      BatchLoader<K, V, X> loader,
      BiConsumer<LoadRequest<V>, Answer<V>> answers)
      throws X {
    List<LoadRequest<V>> missing = lookup(new ArrayList<>(requests.keySet()), answers);
    List<LoadRequest<V>> elsewhere = new ArrayList<>();
    Iterator<LoadRequest<V>> next = missing.iterator();
    while (next.hasNext()) {
      round(next, requests, loader, answers, elsewhere);
    }
    for (LoadRequest<V> request : elsewhere) {
      K key = requests.get(request);
      ValueLoader<V, X> one =
          () -> {
            Map<K, V> loaded = loader.load(Set.of(key));
            return loaded == null ? null : loaded.get(key);
          };
      answers.accept(request, alone.get(request, one));
    }
  }

  /** Loads as many keys as there is time to take leases for, at least one. */
  private <K, V, X extends Throwable> void round(
      Iterator<LoadRequest<V>> next,
      Map<LoadRequest<V>, K> requests,
      BatchLoader<K, V, X> loader,
      BiConsumer<LoadRequest<V>, Answer<V>> answers,
      List<LoadRequest<V>> elsewhere)
      throws X {
    ReadView view = steps.view();
    List<Held<V>> held = new ArrayList<>();
    long begin = System.nanoTime();
    try {
      do {
        LoadRequest<V> request = next.next();
        Flight<V> flight = Flight.here();
        if (steps.isWrittenHere(request.key())
            || (steps.shares(request)
                && steps.flights().joinOrStart(request.key(), flight) != null)) {
          elsewhere.add(request);
          continue;
        }
        Held<V> mine = new Held<>(request, flight);
        held.add(mine);
        LoadPermit<V> permit = steps.tryAcquire(request, view, System.nanoTime());
        if (permit == null) {
          elsewhere.add(request);
          mine.land(Landing.nothing());
        } else if (permit.found() != null) {
          answers.accept(request, permit.found());
          mine.land(steps.landing(request, permit.found().value(), true, permit.asOf()));
        } else {
          mine.permit = permit;
        }
      } while (next.hasNext() && System.nanoTime() - begin < steps.queueing(true, begin) / 2);
      load(held, requests, loader, answers, begin);
    } catch (Throwable e) {
      held.forEach(mine -> mine.fail(e));
      throw e;
    } finally {
      held.forEach(Held::giveUp);
    }
  }

  private <V> List<LoadRequest<V>> lookup(
      List<LoadRequest<V>> requests, BiConsumer<LoadRequest<V>, Answer<V>> answers) {
    if (requests.isEmpty()) {
      return requests;
    }
    List<CacheLookup<V>> cached;
    try {
      cached =
          requests
              .get(0)
              .cache()
              .lookupAll(requests.stream().map(LoadRequest::key).toList(), requests.get(0).type());
    } catch (CacheUnavailableException e) {
      return requests;
    }
    List<LoadRequest<V>> missing = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      Answer<V> answer = LoadSteps.answer(requests.get(i), cached.get(i));
      if (answer != null) {
        answers.accept(requests.get(i), answer);
      } else {
        missing.add(requests.get(i));
      }
    }
    return missing;
  }

  private <K, V, X extends Throwable> void load(
      List<Held<V>> held,
      Map<LoadRequest<V>, K> requests,
      BatchLoader<K, V, X> loader,
      BiConsumer<LoadRequest<V>, Answer<V>> answers,
      long leased)
      throws X {
    Map<K, Held<V>> toLoad = new LinkedHashMap<>();
    boolean queues = true;
    for (Held<V> mine : held) {
      if (mine.permit != null) {
        toLoad.put(requests.get(mine.request), mine);
        queues &= mine.request.queues();
      }
    }
    if (toLoad.isEmpty()) {
      return;
    }
    long begin = System.nanoTime();
    GuardListener listener = toLoad.values().iterator().next().request.listener();
    ValueLoader<Map<K, V>, X> all =
        () -> {
          toLoad.values().forEach(mine -> mine.flight.loadsIn(Place.current()));
          return loader.load(new LinkedHashSet<>(toLoad.keySet()));
        };
    Map<K, V> loaded =
        steps.inPlace(
            Math.max(0, steps.queueing(queues, leased) - (begin - leased)),
            () -> steps.timed(all, listener));
    for (Map.Entry<K, Held<V>> entry : toLoad.entrySet()) {
      Held<V> mine = entry.getValue();
      V value = loaded == null ? null : loaded.get(entry.getKey());
      mine.store(value, begin);
      answers.accept(mine.request, Answer.loaded(value));
    }
  }

  /** A flight that this batch leads. */
  private final class Held<V> {

    final LoadRequest<V> request;
    final Flight<V> flight;
    @Nullable LoadPermit<V> permit;

    Held(LoadRequest<V> request, Flight<V> flight) {
      this.request = request;
      this.flight = flight;
    }

    void store(@Nullable V value, long begin) {
      LoadPermit<V> held = Objects.requireNonNull(permit);
      Landing<V> landing = steps.stored(request, flight, held, value, begin);
      permit = null;
      flight.complete(landing);
    }

    void land(Landing<V> landing) {
      steps.flights().end(request.key(), flight);
      flight.complete(landing);
    }

    void fail(Throwable failure) {
      steps.flights().end(request.key(), flight);
      flight.completeExceptionally(failure);
    }

    void giveUp() {
      steps.flights().end(request.key(), flight);
      if (permit != null) {
        steps.giveUp(request, permit);
        permit = null;
      }
    }
  }
}

package io.bloomguard.guard;

import io.bloomguard.guard.KeyedLoads.Request;
import io.bloomguard.guard.SingleFlight.Flight;
import io.bloomguard.guard.SingleFlight.Landing;
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
 * {@link KeyedLoads} for many keys: one lookup for all, one load for those whose lease was free.
 *
 * <p>Leases are taken one after the other, and the first must not end before its load: where that
 * takes too long, the rest is loaded in another round.
 *
 * <p>A key that somebody else loads at the moment is waited for alone, after this caller's own load
 * has landed, so that two batches never wait for each other.
 */
final class BatchLoads {

  private final KeyedLoads loads;

  BatchLoads(KeyedLoads loads) {
    this.loads = loads;
  }

  /**
   * Hands {@code answers} the answer of each of {@code requests}, whose values are the caller's own
   * form of the key.
   */
  <K, V, X extends Throwable> void get(
      Map<Request<V>, K> requests,
      BatchLoader<K, V, X> loader,
      BiConsumer<Request<V>, Answer<V>> answers)
      throws X {
    List<Request<V>> missing = lookup(new ArrayList<>(requests.keySet()), answers);
    List<Request<V>> elsewhere = new ArrayList<>();
    Iterator<Request<V>> next = missing.iterator();
    while (next.hasNext()) {
      round(next, requests, loader, answers, elsewhere);
    }
    for (Request<V> request : elsewhere) {
      K key = requests.get(request);
      ValueLoader<V, X> one =
          () -> {
            Map<K, V> loaded = loader.load(Set.of(key));
            return loaded == null ? null : loaded.get(key);
          };
      answers.accept(request, loads.get(request, one));
    }
  }

  /** Loads as many as there is time to take the leases of, at least one. */
  private <K, V, X extends Throwable> void round(
      Iterator<Request<V>> next,
      Map<Request<V>, K> requests,
      BatchLoader<K, V, X> loader,
      BiConsumer<Request<V>, Answer<V>> answers,
      List<Request<V>> elsewhere)
      throws X {
    ReadView view = loads.view();
    List<Held<V>> held = new ArrayList<>();
    long begin = System.nanoTime();
    try {
      do {
        Request<V> request = next.next();
        Flight<V> flight = Flight.here();
        if (loads.shares(request) && loads.flights().joinOrStart(request.key(), flight) != null) {
          elsewhere.add(request);
          continue;
        }
        Held<V> mine = new Held<>(request, flight);
        held.add(mine);
        KeyedLoads.LoadPermit<V> right = loads.tryAcquire(request, view, System.nanoTime());
        if (right == null) {
          elsewhere.add(request);
          mine.land(Landing.nothing());
        } else if (right.found() != null) {
          answers.accept(request, right.found());
          mine.land(loads.landing(request, right.found().value(), true, right.asOf()));
        } else {
          mine.right = right;
        }
      } while (next.hasNext() && System.nanoTime() - begin < loads.queueing(true, begin) / 2);
      load(held, requests, loader, answers, begin);
    } catch (Throwable e) {
      held.forEach(mine -> mine.fail(e));
      throw e;
    } finally {
      held.forEach(Held::giveUp);
    }
  }

  private <V> List<Request<V>> lookup(
      List<Request<V>> requests, BiConsumer<Request<V>, Answer<V>> answers) {
    if (requests.isEmpty()) {
      return requests;
    }
    List<CacheLookup<V>> cached;
    try {
      cached =
          requests
              .get(0)
              .cache()
              .lookupAll(requests.stream().map(Request::key).toList(), requests.get(0).type());
    } catch (CacheUnavailableException e) {
      return requests;
    }
    List<Request<V>> missing = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      Answer<V> answer = KeyedLoads.answer(requests.get(i), cached.get(i));
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
      Map<Request<V>, K> requests,
      BatchLoader<K, V, X> loader,
      BiConsumer<Request<V>, Answer<V>> answers,
      long leased)
      throws X {
    Map<K, Held<V>> toLoad = new LinkedHashMap<>();
    boolean queues = true;
    for (Held<V> mine : held) {
      if (mine.right != null) {
        toLoad.put(requests.get(mine.request), mine);
        queues &= mine.request.queues();
      }
    }
    if (toLoad.isEmpty()) {
      return;
    }
    long begin = System.nanoTime();
    GuardListener listener = toLoad.values().iterator().next().request.listener();
    ValueLoader<Map<K, V>, X> all = () -> loader.load(new LinkedHashSet<>(toLoad.keySet()));
    Map<K, V> loaded =
        loads.inPlace(
            Math.max(0, loads.queueing(queues, leased) - (begin - leased)),
            () -> loads.timed(all, listener));
    for (Map.Entry<K, Held<V>> entry : toLoad.entrySet()) {
      Held<V> mine = entry.getValue();
      V value = loaded == null ? null : loaded.get(entry.getKey());
      mine.store(value, begin);
      answers.accept(mine.request, Answer.loaded(value));
    }
  }

  /** A flight this batch leads. */
  private final class Held<V> {

    final Request<V> request;
    final Flight<V> flight;
    KeyedLoads.@Nullable LoadPermit<V> right;

    Held(Request<V> request, Flight<V> flight) {
      this.request = request;
      this.flight = flight;
    }

    void store(@Nullable V value, long begin) {
      KeyedLoads.LoadPermit<V> held = Objects.requireNonNull(right);
      Landing<V> landing = loads.stored(request, flight, held, value, begin);
      right = null;
      flight.complete(landing);
    }

    void land(Landing<V> landing) {
      loads.flights().end(request.key(), flight);
      flight.complete(landing);
    }

    void fail(Throwable failure) {
      loads.flights().end(request.key(), flight);
      flight.completeExceptionally(failure);
    }

    void giveUp() {
      loads.flights().end(request.key(), flight);
      if (right != null) {
        loads.giveUp(request, right);
        right = null;
      }
    }
  }
}

package io.bloomguard.guard.load;

import io.bloomguard.guard.BatchLoader;
import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.GuardListener;
import io.bloomguard.guard.Place;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.load.SingleFlight.Flight;
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
    List<Member<V>> members = new ArrayList<>();
    long begin = System.nanoTime();
    try {
      do {
        Member<V> mine = new Member<>(next.next(), elsewhere);
        members.add(mine);
        if (steps.isWrittenHere(mine.request.key())) {
          mine.alone();
        } else {
          mine.join();
        }
        if (mine.answer.isDone()) {
          answers.accept(mine.request, mine.<X>ended());
        }
      } while (next.hasNext() && System.nanoTime() - begin < steps.queueing(true, begin) / 2);
      load(members, requests, loader, answers, begin);
    } catch (Throwable e) {
      members.forEach(mine -> mine.fail(e));
      throw e;
    } finally {
      members.forEach(Member::giveUp);
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
      List<Member<V>> members,
      Map<LoadRequest<V>, K> requests,
      BatchLoader<K, V, X> loader,
      BiConsumer<LoadRequest<V>, Answer<V>> answers,
      long leased)
      throws X {
    Map<K, Member<V>> toLoad = new LinkedHashMap<>();
    boolean queues = true;
    for (Member<V> mine : members) {
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
          toLoad.values().forEach(mine -> mine.begin(Place.current()));
          return loader.load(new LinkedHashSet<>(toLoad.keySet()));
        };
    Map<K, V> loaded =
        steps.inPlace(
            Math.max(0, steps.queueing(queues, leased) - (begin - leased)),
            () -> steps.timed(all, listener));
    for (Map.Entry<K, Member<V>> entry : toLoad.entrySet()) {
      Member<V> mine = entry.getValue();
      mine.loaded(loaded == null ? null : loaded.get(entry.getKey()), begin);
      answers.accept(mine.request, mine.<X>ended());
    }
  }

  /** The load of one key of a batch, which waits for no other caller and for the batch's load. */
  private final class Member<V> extends KeyLoad<V> {

    private final List<LoadRequest<V>> elsewhere;
    @Nullable LoadPermit permit;

    /**
     * @param elsewhere gets the request if another caller loads its key
     */
    Member(LoadRequest<V> request, List<LoadRequest<V>> elsewhere) {
      super(BatchLoads.this.steps, request);
      this.elsewhere = elsewhere;
    }

    @Override
    void alone() {
      elsewhere.add(request);
    }

    @Override
    void await(Flight<V> theirs, long came) {
      alone();
    }

    @Override
    void again() {
      alone();
      Flight<V> mine = flight;
      if (mine != null) {
        steps.flights().landNothing(request.key(), mine);
      }
    }

    @Override
    void load(LoadPermit given) {
      permit = given;
    }

    void loaded(@Nullable V value, long begin) {
      LoadPermit held = Objects.requireNonNull(permit);
      permit = null;
      loaded(held, value, begin);
    }

    void giveUp() {
      endFlight();
      if (permit != null) {
        release(permit.lease());
        permit = null;
      }
    }
  }
}

package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.BatchLoader;
import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.internal.Place;
import io.bloomguard.guard.internal.load.SingleFlight.Flight;
import java.util.ArrayList;
import java.util.Iterator;
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
    new Batch<>(requests, loader, answers).get();
  }

  /** One call for many keys. */
  private final class Batch<K, V, X extends Throwable> {

    private final Map<LoadRequest<V>, K> requests;
    private final BatchLoader<K, V, X> loader;
    private final BiConsumer<LoadRequest<V>, Answer<V>> answers;

    Batch(
        Map<LoadRequest<V>, K> requests,
        BatchLoader<K, V, X> loader,
        BiConsumer<LoadRequest<V>, Answer<V>> answers) {
      this.requests = requests;
      this.loader = loader;
      this.answers = answers;
    }

    void get() throws X {
      Iterator<LoadRequest<V>> missing = lookup(List.copyOf(requests.keySet())).iterator();
      List<LoadRequest<V>> elsewhere = new ArrayList<>();
      while (missing.hasNext()) {
        round(missing, elsewhere);
      }
      for (LoadRequest<V> request : elsewhere) {
        K key = requests.get(request);
        ValueLoader<V, X> one = () -> loader.load(Set.of(key)).get(key);
        answers.accept(request, alone.get(request, one));
      }
    }

    private List<LoadRequest<V>> lookup(List<LoadRequest<V>> all) {
      if (all.isEmpty()) {
        return all;
      }
      LoadRequest<V> first = all.get(0);
      List<CacheLookup<V>> cached;
      try {
        cached = first.cache().lookupAll(all.stream().map(LoadRequest::key).toList(), first.type());
      } catch (CacheUnavailableException e) {
        return all;
      }
      List<LoadRequest<V>> missing = new ArrayList<>();
      for (int i = 0; i < all.size(); i++) {
        Answer<V> answer = LoadSteps.answer(all.get(i), cached.get(i));
        if (answer != null) {
          answers.accept(all.get(i), answer);
        } else {
          missing.add(all.get(i));
        }
      }
      return missing;
    }

    /**
     * Loads as many keys as there is time to take leases for, at least one.
     *
     * @param elsewhere gets the requests whose keys other callers load
     */
    private void round(Iterator<LoadRequest<V>> next, List<LoadRequest<V>> elsewhere) throws X {
      List<Member<V>> members = new ArrayList<>();
      long begin = System.nanoTime();
      try {
        do {
          Member<V> mine = new Member<>(steps, next.next(), elsewhere);
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
        load(members.stream().filter(mine -> mine.permit != null).toList(), begin);
      } catch (Throwable e) {
        members.forEach(mine -> mine.fail(e));
        throw e;
      } finally {
        members.forEach(Member::giveUp);
      }
    }

    private void load(List<Member<V>> members, long leased) throws X {
      if (members.isEmpty()) {
        return;
      }
      Set<K> keys = new LinkedHashSet<>();
      members.forEach(mine -> keys.add(requests.get(mine.request)));
      boolean queues = members.stream().allMatch(mine -> mine.request.queues());
      long begin = System.nanoTime();
      ValueLoader<Map<K, V>, X> all =
          () -> {
            members.forEach(mine -> mine.begin(Place.current()));
            return loader.load(keys);
          };
      Map<K, V> loaded =
          steps.inPlace(
              Math.max(0, steps.queueing(queues, leased) - (begin - leased)),
              () -> steps.timed(all, members.get(0).request.listener()));
      for (Member<V> mine : members) {
        mine.loaded(loaded == null ? null : loaded.get(requests.get(mine.request)), begin);
        answers.accept(mine.request, mine.<X>ended());
      }
    }
  }

  /** The load of one key of a batch, which waits for no other caller and for the batch's load. */
  private static final class Member<V> extends KeyLoad<V> {

    private final List<LoadRequest<V>> elsewhere;
    private @Nullable LoadPermit permit;

    /**
     * @param elsewhere gets the request if another caller loads its key
     */
    Member(LoadSteps steps, LoadRequest<V> request, List<LoadRequest<V>> elsewhere) {
      super(steps, request);
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

package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.BatchLoader;
import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.Scope;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * The load of many keys: one lookup for all keys, one load for the keys whose turn came at once.
 *
 * <p>Leases are taken one after the other, and the first must not end before its load: if taking
 * them takes too long, another round loads the rest.
 *
 * <p>A batch waits for each key that another caller is loading separately, after its own load has
 * landed, so that two batches never wait for each other.
 *
 * @param requests each with the caller's own form of its key
 * @param answers gets the answer of each request
 */
public record BatchLoad<K, V, X extends Throwable>(
    CacheLoads loads,
    Map<LoadRequest<V>, K> requests,
    BatchLoader<K, V, X> loader,
    BiConsumer<LoadRequest<V>, Answer<V>> answers) {

  public void get() throws X {
    Iterator<LoadRequest<V>> missing = lookup(List.copyOf(requests.keySet())).iterator();
    List<LoadRequest<V>> elsewhere = new ArrayList<>();
    while (missing.hasNext()) {
      round(missing, elsewhere);
    }
    for (LoadRequest<V> request : elsewhere) {
      K key = requests.get(request);
      answers.accept(request, loads.get(request, () -> loader.load(Set.of(key)).get(key)));
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
      Answer<V> answer = CacheLoads.answer(all.get(i), cached.get(i));
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
    List<KeyLoad<V>> members = new ArrayList<>();
    List<KeyLoad<V>> turned = new ArrayList<>();
    long begin = System.nanoTime();
    try {
      do {
        KeyLoad<V> mine = new KeyLoad<>(loads, next.next(), true, null);
        members.add(mine);
        mine.startTurn();
        if (mine.answer.isDone()) {
          answers.accept(mine.request, LoadStages.<Answer<V>, X>result(mine.answer));
        } else if (mine.isTurned()) {
          turned.add(mine);
        } else {
          mine.giveUp();
          elsewhere.add(mine.request);
        }
      } while (next.hasNext() && System.nanoTime() - begin < loads.queueing(true, begin) / 2);
      load(turned, begin);
    } catch (Throwable e) {
      members.forEach(mine -> mine.fail(e));
      throw e;
    } finally {
      members.forEach(KeyLoad::giveUp);
    }
  }

  private void load(List<KeyLoad<V>> members, long leased) throws X {
    if (members.isEmpty()) {
      return;
    }
    Set<K> keys = new LinkedHashSet<>();
    members.forEach(mine -> keys.add(requests.get(mine.request)));
    boolean queues = members.stream().allMatch(mine -> mine.request.queues());
    long begin = System.nanoTime();
    Map<K, V> loaded;
    long queueing = Math.max(0, loads.queueing(queues, leased) - (begin - leased));
    try (Place place = loads.bulkhead().enter(queueing);
        Scope scope = place.enter()) {
      members.forEach(mine -> mine.begin(place));
      loaded = loads.timed(() -> loader.load(keys), members.get(0).request.listener());
    }
    for (KeyLoad<V> mine : members) {
      V value = loaded == null ? null : loaded.get(requests.get(mine.request));
      mine.loaded(value, begin, loads.view());
      answers.accept(mine.request, LoadStages.<Answer<V>, X>result(mine.answer));
    }
  }
}

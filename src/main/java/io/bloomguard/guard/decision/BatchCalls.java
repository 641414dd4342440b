package io.bloomguard.guard.decision;

import io.bloomguard.filter.CanonicalKey;
import io.bloomguard.guard.BatchLoader;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.Outcome;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.load.BatchLoads;
import io.bloomguard.guard.load.LoadRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The loads of many keys in one call, for {@link FilterGuard}. */
final class BatchCalls<V> {

  private final KeyDecisions<V> decisions;
  private final RejectedKeys<V> rejected;
  private final BatchLoads loads;

  BatchCalls(KeyDecisions<V> decisions, RejectedKeys<V> rejected, BatchLoads loads) {
    this.decisions = decisions;
    this.rejected = rejected;
    this.loads = loads;
  }

  <K, X extends Throwable> Map<K, V> getAll(Collection<K> keys, BatchLoader<K, V, X> loader)
      throws X {
    // Spellings of a key, such as 42 and "42", are one key: decided, counted and loaded once.
    Map<String, List<K>> spellings = new LinkedHashMap<>();
    List<K> asked = new ArrayList<>(keys);
    Iterator<String> canonical = decisions.canonical(asked).iterator();
    for (K key : asked) {
      List<K> same =
          spellings.computeIfAbsent(
              decisions.rules.fold(canonical.next()), k -> new ArrayList<>(1));
      if (!same.contains(key)) {
        same.add(key);
      }
    }
    List<String> distinct = List.copyOf(spellings.keySet());
    Membership[] answers = decisions.decideAll(distinct);
    for (Membership answer : answers) {
      decisions.requireOpen(answer, answers.length);
    }
    BatchLoader<K, V, X> spelling = inSpellingOfCaller(loader, spellings);
    ValueCache cache = decisions.steps.cacheOfCall();
    Map<LoadRequest<V>, K> requests = new LinkedHashMap<>();
    Set<LoadRequest<V>> wouldBeRejected = new HashSet<>();
    Set<LoadRequest<V>> open = new LinkedHashSet<>();
    Map<K, V> found = new LinkedHashMap<>();
    Outcome ending = Outcome.ERROR;
    try (TrialBatch<V> trials = new TrialBatch<>(rejected, decisions.steps, decisions.filter)) {
      for (int i = 0; i < answers.length; i++) {
        String key = distinct.get(i);
        if (answers[i] != Membership.ABSENT || trials.passes(key)) {
          LoadRequest<V> request = decisions.request(key, key, answers[i], cache);
          requests.put(request, spellings.getOrDefault(key, List.of()).get(0));
          if (answers[i] == Membership.ABSENT) {
            wouldBeRejected.add(request);
          }
        }
      }
      open.addAll(requests.keySet());
      trials.load(
          spelling,
          key -> spellings.getOrDefault(key, List.of()).get(0),
          (key, value) -> spellings.getOrDefault(key, List.of()).forEach(k -> found.put(k, value)));
      loads.get(
          requests,
          spelling,
          (request, answer) -> {
            open.remove(request);
            decisions.record(
                wouldBeRejected.contains(request)
                    ? Outcome.REJECTED
                    : KeyDecisions.outcome(request, answer));
            V value = answer.value();
            if (value != null) {
              spellings.getOrDefault(request.key(), List.of()).forEach(k -> found.put(k, value));
            }
          });
    } catch (RequestShedException e) {
      ending = Outcome.SHED;
      throw e;
    } finally {
      decisions.record(ending, open.size());
    }
    return found;
  }

  /** A database answers in its own spelling, which may differ from that of the key asked for. */
  private <K, X extends Throwable> BatchLoader<K, V, X> inSpellingOfCaller(
      BatchLoader<K, V, X> loader, Map<String, List<K>> spellings) {
    if (decisions.rules.folding().isExact()) {
      return loader;
    }
    return keys -> {
      Map<K, V> loaded = loader.load(keys);
      if (loaded == null || loaded.keySet().containsAll(keys)) {
        return loaded;
      }
      Map<String, V> folded = new HashMap<>();
      loaded.forEach((key, value) -> folded.put(decisions.rules.fold(CanonicalKey.of(key)), value));
      Map<K, V> spelled = new HashMap<>(loaded);
      spellings.forEach(
          (key, same) -> {
            V value = folded.get(key);
            if (value != null) {
              same.stream().filter(keys::contains).forEach(k -> spelled.putIfAbsent(k, value));
            }
          });
      return spelled;
    };
  }
}

package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.BatchLoader;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.UnclearAnswer;
import io.bloomguard.guard.internal.decision.Judge.Purpose;
import io.bloomguard.guard.internal.load.BatchLoad;
import io.bloomguard.guard.internal.load.CacheLoads;
import io.bloomguard.guard.internal.load.LoadRequest;
import io.bloomguard.guard.internal.load.Place;
import io.bloomguard.guard.internal.verify.Trial;
import io.bloomguard.guard.internal.verify.Verdict;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The load of many keys in one call, for a {@link Guard} that keeps values.
 *
 * <p>The rejected keys that are tried are loaded together, before the others and in one place of
 * the bulkhead.
 */
final class BatchCall<K, V, X extends Throwable> {

  private final KeyDecisions<V> decisions;
  private final Trials<V> trials;
  private final CacheLoads steps;
  private final BatchLoader<K, V, X> loader;
  private final Map<String, List<K>> spellings;
  private final Map<K, V> found = new LinkedHashMap<>();
  private final long began = System.nanoTime();

  /** The trials by canonical key. */
  private final Map<String, Trial> tried = new LinkedHashMap<>();

  /** That of all trials. */
  private @Nullable Place place;

  BatchCall(
      KeyDecisions<V> decisions,
      Trials<V> trials,
      Collection<K> keys,
      BatchLoader<K, V, X> loader) {
    this.decisions = decisions;
    this.trials = trials;
    this.steps = decisions.steps;
    this.loader = asked -> matched(asked, loader.load(asked));
    this.spellings = decisions.spellings(keys);
  }

  Map<K, V> get(Judge judge) throws X {
    List<String> distinct = List.copyOf(spellings.keySet());
    Verdict[] verdicts = judge.judgeAll(distinct, Purpose.TRY);
    ValueCache cache = steps.cacheOfCall();
    Map<LoadRequest<V>, K> requests = new LinkedHashMap<>();
    Map<LoadRequest<V>, Verdict> open = new HashMap<>();
    Outcome ending = Outcome.ERROR;
    try {
      for (int i = 0; i < verdicts.length; i++) {
        String key = distinct.get(i);
        Verdict verdict = verdicts[i];
        if (verdict.isTrial()) {
          Trial trial = begin(key, verdict);
          if (trial != null) {
            tried.put(key, trial);
            continue;
          }
          verdict = judge.policy().untried(key);
        }
        if (verdict.passes()) {
          LoadRequest<V> request = decisions.request(key, key, verdict, cache);
          requests.put(request, spelled(key).get(0));
          open.put(request, verdict);
        } else {
          decisions.record(verdict.outcome());
        }
      }
      loadTried();
      new BatchLoad<>(
              steps,
              requests,
              loader,
              (request, answer) -> {
                decisions.record(Objects.requireNonNull(open.remove(request)).outcome(answer));
                put(request.key(), answer.value());
              })
          .get();
    } catch (RequestShedException e) {
      ending = Outcome.SHED;
      throw e;
    } finally {
      // A key that was not loaded has failed.
      tried.values().forEach(Trial::close);
      leave();
      decisions.record(ending, open.size());
    }
    return found;
  }

  private List<K> spelled(String key) {
    return spellings.getOrDefault(key, List.of());
  }

  private void put(String key, @Nullable V answer) {
    V value = UnclearAnswer.content(answer);
    if (value != null) {
      spelled(key).forEach(each -> found.put(each, value));
    }
  }

  private @Nullable Trial begin(String key, Verdict verdict) {
    if (verdict == Verdict.WITHIN_TRIAL) {
      return trials.within(key);
    }
    // The first lease must not end before the load.
    boolean inTime = System.nanoTime() - began < steps.queueing(true, began) / 2;
    if (inTime && place == null) {
      place = steps.bulkhead().tryEnterTrial();
    }
    return trials.begin(key, inTime ? place : null);
  }

  private void loadTried() throws X {
    if (tried.isEmpty()) {
      // The next load needs its own place, and may wait for a caller that waits for this place.
      leave();
      return;
    }
    Set<K> asked = new LinkedHashSet<>();
    tried.keySet().forEach(key -> asked.add(spelled(key).get(0)));
    List<Scope> scopes = new ArrayList<>();
    Map<K, V> loaded;
    try {
      tried.values().forEach(trial -> scopes.add(0, trial.enter()));
      loaded = steps.timed(() -> loader.load(asked), decisions.filter.listener());
    } finally {
      scopes.forEach(Scope::close);
      leave();
    }
    for (String key : List.copyOf(tried.keySet())) {
      V value = loaded == null ? null : loaded.get(spelled(key).get(0));
      Trial trial = Objects.requireNonNull(tried.remove(key));
      // One wait for all, at the last.
      trials.end(trial, value, null, value == null || tried.isEmpty());
      put(key, value);
    }
  }

  private void leave() {
    if (place != null) {
      place.close();
      place = null;
    }
  }

  /**
   * The values of the keys asked for. A batch that shows nothing of its keys has an unclear answer
   * for each, also for those without a value.
   */
  private Map<K, V> matched(Collection<K> asked, Map<K, V> loaded) {
    Map<K, V> values = decisions.found(asked, loaded);
    if (!(loaded instanceof UnclearAnswer.Batch)) {
      return values;
    }
    Map<K, V> unclear = new HashMap<>();
    asked.forEach(key -> unclear.put(key, unclear(values.get(key))));
    return unclear;
  }

  @SuppressWarnings("unchecked") // its own code alone sees it in place of a value
  private static <T> T unclear(@Nullable T value) {
    return (T) new UnclearAnswer<>(value);
  }
}

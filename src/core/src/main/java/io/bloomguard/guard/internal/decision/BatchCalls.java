package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.BatchLoader;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.decision.Judge.Purpose;
import io.bloomguard.guard.internal.load.BatchLoads;
import io.bloomguard.guard.internal.load.LoadRequest;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The loads of many keys in one call, for a {@link Guard} that keeps values. */
final class BatchCalls<V> {

  private final KeyDecisions<V> decisions;
  private final Judge judge;
  private final Trials<V> trials;
  private final BatchLoads loads;

  BatchCalls(KeyDecisions<V> decisions, Judge judge, Trials<V> trials, BatchLoads loads) {
    this.decisions = decisions;
    this.judge = judge;
    this.trials = trials;
    this.loads = loads;
  }

  <K, X extends Throwable> Map<K, V> getAll(Collection<K> keys, BatchLoader<K, V, X> loader)
      throws X {
    Map<String, List<K>> spellings = decisions.spellings(keys);
    List<String> distinct = List.copyOf(spellings.keySet());
    Verdict[] verdicts = judge.judgeAll(distinct, Purpose.TRY);
    BatchLoader<K, V, X> matched = asked -> decisions.found(asked, loader.load(asked));
    ValueCache cache = decisions.steps.cacheOfCall();
    Map<LoadRequest<V>, K> requests = new LinkedHashMap<>();
    Map<LoadRequest<V>, Verdict> open = new HashMap<>();
    Map<K, V> found = new LinkedHashMap<>();
    Outcome ending = Outcome.ERROR;
    try (TrialBatch<V> tried = new TrialBatch<>(trials, decisions)) {
      for (int i = 0; i < verdicts.length; i++) {
        String key = distinct.get(i);
        Verdict verdict = verdicts[i];
        if (verdict.isTrial()) {
          if (tried.takes(key, verdict)) {
            continue;
          }
          verdict = judge.policy().untried(key);
        }
        if (verdict.passes()) {
          LoadRequest<V> request = decisions.request(key, key, verdict, cache);
          requests.put(request, spellings.getOrDefault(key, List.of()).get(0));
          open.put(request, verdict);
        } else {
          decisions.record(verdict.outcome());
        }
      }
      tried.load(
          matched,
          key -> spellings.getOrDefault(key, List.of()).get(0),
          (key, value) -> spellings.getOrDefault(key, List.of()).forEach(k -> found.put(k, value)));
      loads.get(
          requests,
          matched,
          (request, answer) -> {
            decisions.record(Objects.requireNonNull(open.remove(request)).outcome(answer));
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
}

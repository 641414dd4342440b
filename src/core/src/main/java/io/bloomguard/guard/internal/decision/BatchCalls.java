package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.BatchLoader;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.UnclearAnswer;
import io.bloomguard.guard.internal.decision.Judge.Purpose;
import io.bloomguard.guard.internal.load.LoadRequest;
import io.bloomguard.guard.internal.verify.Verdict;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The loads of many keys in one call, for a {@link Guard} that keeps values. */
final class BatchCalls<V> {

  private final KeyDecisions<V> decisions;
  private final Judge judge;
  private final Trials<V> trials;

  BatchCalls(KeyDecisions<V> decisions, Judge judge, Trials<V> trials) {
    this.decisions = decisions;
    this.judge = judge;
    this.trials = trials;
  }

  <K, X extends Throwable> Map<K, V> getAll(Collection<K> keys, BatchLoader<K, V, X> loader)
      throws X {
    Map<String, List<K>> spellings = decisions.spellings(keys);
    List<String> distinct = List.copyOf(spellings.keySet());
    Verdict[] verdicts = judge.judgeAll(distinct, Purpose.TRY, Duration.ZERO);
    BatchLoader<K, V, X> matched = asked -> matched(asked, loader.load(asked));
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
          (key, value) -> put(found, spellings.getOrDefault(key, List.of()), value));
      decisions.steps.getAll(
          requests,
          matched,
          (request, answer) -> {
            decisions.record(Objects.requireNonNull(open.remove(request)).outcome(answer));
            put(found, spellings.getOrDefault(request.key(), List.of()), answer.value());
          });
    } catch (RequestShedException e) {
      ending = Outcome.SHED;
      throw e;
    } finally {
      decisions.record(ending, open.size());
    }
    return found;
  }

  private static <K, V> void put(Map<K, V> found, List<K> spellings, @Nullable V answer) {
    V value = UnclearAnswer.content(answer);
    if (value != null) {
      spellings.forEach(key -> found.put(key, value));
    }
  }

  /**
   * The values of the keys asked for. A batch that shows nothing of its keys has an unclear answer
   * for each, also for those without a value.
   */
  private <K> Map<K, V> matched(Collection<K> asked, Map<K, V> loaded) {
    Map<K, V> found = decisions.found(asked, loaded);
    if (!(loaded instanceof UnclearAnswer.Batch)) {
      return found;
    }
    Map<K, V> unclear = new HashMap<>();
    asked.forEach(key -> unclear.put(key, unclear(found.get(key))));
    return unclear;
  }

  @SuppressWarnings("unchecked") // its own code alone sees it in place of a value
  private static <T> T unclear(@Nullable T value) {
    return (T) new UnclearAnswer<>(value);
  }
}

package io.bloomguard.guard.decision;

import io.bloomguard.guard.BatchLoader;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.GuardedFilter;
import io.bloomguard.guard.KeyWrites;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.Outcome;
import io.bloomguard.guard.Place;
import io.bloomguard.guard.Trial;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.confirm.Confirmations;
import io.bloomguard.guard.load.LoadStages;
import io.bloomguard.guard.load.LoadThreads;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The guard of a blacklist: rejects the keys that its filter holds, at once or after an exact
 * source has confirmed it, and passes all others.
 *
 * <p>It keeps no values and has no trials. A key that passes takes no place in the bulkhead, not
 * even while the filter cannot tell: the same keys reach the same loader while it can.
 */
final class BlacklistGuard<V> implements BloomGuard<V> {

  private final KeyDecisions<V> decisions;
  private final GuardedFilter filter;
  private final KeyWrites writes;
  private final @Nullable Confirmations confirmations;

  /**
   * @param writes the filter's
   * @param confirmations the questions to an exact source; null if the filter alone decides
   */
  BlacklistGuard(
      KeyDecisions<V> decisions, KeyWrites writes, @Nullable Confirmations confirmations) {
    this.writes = writes;
    this.decisions = decisions;
    this.filter = decisions.filter;
    this.confirmations = confirmations;
  }

  @Override
  public String filter() {
    return filter.name();
  }

  @Override
  public KeyWrites writes() {
    return writes;
  }

  @Override
  public Membership check(Object key) {
    Object asked = decisions.canonical(key);
    return checked(asked, decisions.check(asked));
  }

  @Override
  public CompletionStage<Membership> checkAsync(Object key) {
    Object asked = decisions.canonical(key);
    return decisions.checkAsync(
        asked,
        membership -> CompletableFuture.completedFuture(checked(asked, membership)),
        late -> {});
  }

  private Membership checked(Object asked, Membership membership) {
    record(recordDenied(outcome(membership), asked));
    return answer(membership);
  }

  @Override
  public List<Membership> checkAll(Collection<?> keys) {
    List<String> canonical = decisions.canonical(keys);
    return allChecked(canonical, filter.store().checkAll(canonical));
  }

  @Override
  public CompletionStage<List<Membership>> checkAllAsync(Collection<?> keys) {
    List<String> canonical = decisions.canonical(keys);
    return decisions.checkAllAsync(
        canonical,
        answers -> CompletableFuture.completedFuture(allChecked(canonical, answers)),
        late -> {});
  }

  private List<Membership> allChecked(List<String> canonical, Membership[] answers) {
    for (int i = 0; i < answers.length; i++) {
      record(recordDenied(outcome(answers[i]), canonical.get(i)));
      answers[i] = answer(answers[i]);
    }
    return List.of(answers);
  }

  /** The answer to a check: a filter that does not enforce allows no conclusion. */
  private Membership answer(Membership membership) {
    return membership == Membership.POSSIBLY_PRESENT && !enforces()
        ? Membership.UNKNOWN
        : membership;
  }

  @Override
  public boolean admit(Object key) {
    Outcome outcome = decided(key);
    record(outcome);
    return goesOn(outcome);
  }

  @Override
  public boolean admit(
      Object key, @Nullable Consumer<? super Trial> onTrial, Consumer<? super Place> onPlace) {
    return admit(key);
  }

  /** The existence of a key elsewhere does not show whether it is listed. */
  @Override
  public int reportFound(Collection<?> keys) {
    return 0;
  }

  @Override
  public <K> Admission<K> enter(Collection<K> keys) {
    // A copy, because its owner may change the collection meanwhile.
    List<K> asked = new ArrayList<>(keys);
    List<String> canonical = decisions.canonical(asked);
    return admitted(asked, decidedAll(canonical));
  }

  @Override
  public <K> CompletableFuture<Admission<K>> enterAsync(Collection<K> keys) {
    List<K> asked = new ArrayList<>(keys);
    List<String> canonical = decisions.canonical(asked);
    return decisions.checkAllAsync(
        canonical, said -> enterAsync(asked, canonical, outcomes(said)), Admission::close);
  }

  private <K> CompletableFuture<Admission<K>> enterAsync(
      List<K> asked, List<String> canonical, Outcome[] outcomes) {
    Map<String, CompletableFuture<Membership>> questions = questions(canonical, outcomes);
    Supplier<Admission<K>> admission =
        () -> admitted(asked, settled(canonical, outcomes, questions));
    return questions.isEmpty()
        ? CompletableFuture.completedFuture(admission.get())
        : elsewhere(
            CompletableFuture.allOf(questions.values().toArray(CompletableFuture[]::new)),
            asked.size(),
            admission);
  }

  @Override
  public <K> CompletableFuture<Admission<K>> enterAsync(K key, Consumer<? super Trial> onTrial) {
    return decidedAsync(key)
        .thenApply(
            outcome -> {
              record(outcome);
              return new BulkheadAdmission<>(goesOn(outcome) ? List.of(key) : List.of(), null);
            });
  }

  private <K> Admission<K> admitted(List<K> asked, Outcome[] outcomes) {
    List<K> admitted = new ArrayList<>(outcomes.length);
    for (int i = 0; i < outcomes.length; i++) {
      record(outcomes[i]);
      if (goesOn(outcomes[i])) {
        admitted.add(asked.get(i));
      }
    }
    return new BulkheadAdmission<>(admitted, null);
  }

  @Override
  public <X extends Throwable> @Nullable V call(Object key, ValueLoader<V, X> loader) throws X {
    Outcome decided = decided(key);
    if (!goesOn(decided)) {
      record(decided);
      return null;
    }
    return counted(decided, loader);
  }

  @Override
  public <X extends Throwable> @Nullable V get(Object key, ValueLoader<V, X> loader) throws X {
    return call(key, loader);
  }

  /** Loads, and counts the decisions on the keys unless the load fails. */
  private <X extends Throwable> @Nullable V counted(Outcome decided, ValueLoader<V, X> loader)
      throws X {
    V value;
    try {
      value = loader.load();
    } catch (Throwable e) {
      record(KeyDecisions.thrown(e));
      throw e;
    }
    record(decided);
    return value;
  }

  @Override
  public <K, X extends Throwable> Map<K, V> getAll(Collection<K> keys, BatchLoader<K, V, X> loader)
      throws X {
    Map<String, Set<K>> spellings = new LinkedHashMap<>();
    for (K key : new ArrayList<>(keys)) {
      String folded = decisions.rules.fold(decisions.canonicalText(key));
      spellings.computeIfAbsent(folded, any -> new LinkedHashSet<>()).add(key);
    }
    List<String> distinct = List.copyOf(spellings.keySet());
    Outcome[] outcomes = decidedAll(distinct);
    Set<K> going = new LinkedHashSet<>();
    List<Outcome> gone = new ArrayList<>();
    for (int i = 0; i < outcomes.length; i++) {
      if (goesOn(outcomes[i])) {
        going.addAll(spellings.getOrDefault(distinct.get(i), Set.of()));
        gone.add(outcomes[i]);
      } else {
        record(outcomes[i]);
      }
    }
    if (going.isEmpty()) {
      return FoundValues.of(going, null);
    }
    boolean loaded = false;
    try {
      Map<K, V> values = loader.load(going);
      loaded = true;
      return FoundValues.of(going, values);
    } finally {
      for (Outcome outcome : gone) {
        record(loaded ? outcome : Outcome.ERROR);
      }
    }
  }

  @Override
  public <K> CompletionStage<Map<K, V>> getAllAsync(
      Collection<K> keys, Function<? super Set<K>, ? extends CompletionStage<Map<K, V>>> loader) {
    List<K> asked = new ArrayList<>(keys);
    int distinct = KeyDecisions.distinct(decisions.canonical(asked)).size();
    return decisions.async.batch(distinct, () -> getAll(asked, decisions.async.waiting(loader)));
  }

  @Override
  public CompletionStage<@Nullable V> getAsync(
      Object key, Supplier<? extends CompletionStage<? extends @Nullable V>> loader) {
    return LoadStages.<V>forCaller(
        decidedAsync(key).<@Nullable V>thenCompose(decided -> loaded(decided, loader)));
  }

  private CompletionStage<@Nullable V> loaded(
      Outcome decided, Supplier<? extends CompletionStage<? extends @Nullable V>> loader) {
    if (!goesOn(decided)) {
      record(decided);
      return CompletableFuture.completedFuture(null);
    }
    return LoadStages.<V>begin(loader, null)
        .<@Nullable V>thenApply(value -> value)
        .whenComplete(
            (value, failure) -> record(failure == null ? decided : KeyDecisions.ending(failure)));
  }

  // Decisions on one key

  private Outcome decided(Object key) {
    Object asked = decisions.canonical(key);
    Membership membership = decisions.check(asked);
    if (membership == Membership.POSSIBLY_PRESENT && confirmations != null) {
      return settled(confirmed(await(confirmations.ask(folded(asked)), end())), asked);
    }
    return settled(outcome(membership), asked);
  }

  private CompletableFuture<Outcome> decidedAsync(Object key) {
    Object asked = decisions.canonical(key);
    return decisions.checkAsync(asked, membership -> decidedAsync(asked, membership), late -> {});
  }

  private CompletableFuture<Outcome> decidedAsync(Object asked, Membership membership) {
    if (membership == Membership.POSSIBLY_PRESENT && confirmations != null) {
      CompletableFuture<Membership> answer = confirmations.ask(folded(asked));
      if (!answer.isDone()) {
        return elsewhere(answer, 1, () -> settled(confirmed(answer.join()), asked));
      }
      return CompletableFuture.completedFuture(settled(confirmed(answer.join()), asked));
    }
    return CompletableFuture.completedFuture(settled(outcome(membership), asked));
  }

  /** Continues when the answer has come, outside the place that it came in. */
  private <T> CompletableFuture<T> elsewhere(
      CompletableFuture<?> answer, int keys, Supplier<T> next) {
    LoadThreads threads = decisions.steps.threads();
    if (!threads.tryBegin()) {
      decisions.record(Outcome.SHED, keys);
      return AsyncCalls.tooMany();
    }
    CompletableFuture<T> continued = new CompletableFuture<>();
    var unused =
        answer.whenComplete(
            (any, failure) ->
                threads.execute(
                    () -> {
                      threads.end();
                      try {
                        continued.complete(next.get());
                      } catch (Throwable e) {
                        continued.completeExceptionally(e);
                      }
                    },
                    refusal -> {
                      threads.end();
                      decisions.record(Outcome.SHED, keys);
                      continued.completeExceptionally(refusal);
                    }));
    return continued;
  }

  private Outcome settled(Outcome outcome, Object key) {
    requireOpen(outcome, 1);
    return recordDenied(outcome, key);
  }

  // Decisions on many keys

  private Outcome[] decidedAll(List<String> canonical) {
    Outcome[] outcomes = outcomes(filter.store().checkAll(canonical));
    return settled(canonical, outcomes, questions(canonical, outcomes));
  }

  /** The filter's decision on each key; a key that is still to be confirmed is REJECTED. */
  private static Outcome[] outcomes(Membership[] said) {
    Outcome[] outcomes = new Outcome[said.length];
    for (int i = 0; i < said.length; i++) {
      outcomes[i] = outcome(said[i]);
    }
    return outcomes;
  }

  /** The future answers of the exact source, by folded key. */
  private Map<String, CompletableFuture<Membership>> questions(
      List<String> canonical, Outcome[] outcomes) {
    if (confirmations == null) {
      return Map.of();
    }
    Set<String> held = new LinkedHashSet<>();
    for (int i = 0; i < outcomes.length; i++) {
      if (outcomes[i] == Outcome.REJECTED) {
        held.add(decisions.rules.fold(canonical.get(i)));
      }
    }
    return held.isEmpty() ? Map.of() : confirmations.askAll(held);
  }

  private Outcome[] settled(
      List<String> canonical,
      Outcome[] outcomes,
      Map<String, CompletableFuture<Membership>> questions) {
    long end = end();
    for (int i = 0; i < outcomes.length; i++) {
      if (outcomes[i] == Outcome.REJECTED && !questions.isEmpty()) {
        CompletableFuture<Membership> answer =
            questions.get(decisions.rules.fold(canonical.get(i)));
        outcomes[i] = confirmed(answer == null ? Membership.UNKNOWN : await(answer, end));
      }
    }
    for (Outcome outcome : outcomes) {
      requireOpen(outcome, outcomes.length);
    }
    for (int i = 0; i < outcomes.length; i++) {
      recordDenied(outcomes[i], canonical.get(i));
    }
    return outcomes;
  }

  // Answers and their outcomes

  /** The end of the wait of a caller that asks now, in {@code nanoTime}. */
  private long end() {
    return System.nanoTime() + (confirmations == null ? 0 : confirmations.timeout().toNanos());
  }

  private static Membership await(CompletableFuture<Membership> answer, long end) {
    try {
      return answer.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException e) {
      return Membership.UNKNOWN;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Membership.UNKNOWN;
    }
  }

  /** The outcome of the filter's answer alone. */
  private static Outcome outcome(Membership said) {
    return switch (said) {
      case ABSENT -> Outcome.PASSED;
      case POSSIBLY_PRESENT -> Outcome.REJECTED;
      case UNKNOWN -> Outcome.BYPASSED;
    };
  }

  /** The outcome of the exact source's answer for a key that the filter holds. */
  private static Outcome confirmed(Membership answer) {
    return switch (answer) {
      case ABSENT -> Outcome.FALSE_POSITIVE;
      case POSSIBLY_PRESENT -> Outcome.REJECTED;
      case UNKNOWN -> Outcome.BYPASSED;
    };
  }

  private Outcome recordDenied(Outcome outcome, Object key) {
    if (outcome == Outcome.REJECTED) {
      filter.deniedKeys().onDenied(key);
    }
    return outcome;
  }

  private boolean goesOn(Outcome outcome) {
    return outcome != Outcome.REJECTED || !enforces();
  }

  private boolean enforces() {
    return filter.verification().enforces();
  }

  private void requireOpen(Outcome outcome, int keys) {
    if (outcome == Outcome.BYPASSED) {
      decisions.requireOpen(keys);
    }
  }

  private String folded(Object asked) {
    return decisions.rules.fold(KeyDecisions.text(asked));
  }

  private void record(Outcome outcome) {
    decisions.record(outcome);
  }
}

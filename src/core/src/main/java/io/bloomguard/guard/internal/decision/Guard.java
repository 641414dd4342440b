package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.BatchLoader;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.guard.internal.Place;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.guard.internal.decision.Judge.Purpose;
import io.bloomguard.guard.internal.load.Answer;
import io.bloomguard.guard.internal.load.CacheLoads;
import io.bloomguard.guard.internal.load.LoadStages;
import io.bloomguard.guard.internal.verify.Trial;
import io.bloomguard.guard.internal.verify.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The guard of one filter and one entry: has its keys judged, loads those that pass, and counts one
 * outcome for each.
 *
 * <p>Every method first admits its keys: a {@link Judge} gives the verdict on each. What a caller
 * gets for a key is then the same for every policy.
 */
final class Guard<V> implements EntryGuard<V> {

  private static final Consumer<@Nullable Object> NOTHING_LATE = late -> {};

  private final KeyDecisions<V> decisions;
  private final Judge judge;
  private final KeyWrites writes;
  private final CacheLoads steps;
  private final Trials<V> trials;
  private final BatchCalls<V> batchCalls;
  private final boolean caches;
  private final String caller;

  /**
   * @param caches whether the guard keeps values; otherwise each caller loads for itself
   * @param caller the code that calls, for messages
   */
  Guard(KeyDecisions<V> decisions, Judge judge, KeyWrites writes, boolean caches, String caller) {
    this.decisions = decisions;
    this.judge = judge;
    this.writes = writes;
    this.steps = decisions.steps;
    this.trials = new Trials<>(decisions, caller);
    this.batchCalls = new BatchCalls<>(decisions, judge, trials);
    this.caches = caches;
    this.caller = caller;
  }

  @Override
  public EntryGuard<V> ofCall(@Nullable Object context) {
    KeyDecisions<V> own = decisions.ofCall(context);
    return own == decisions ? this : new Guard<>(own, judge.ofCall(own), writes, caches, caller);
  }

  @Override
  public String filter() {
    return decisions.filter.name();
  }

  @Override
  public @Nullable String text(@Nullable Object key) {
    return FoundValues.text(key, decisions.rules::fold);
  }

  @Override
  public KeyWrites writes() {
    return writes;
  }

  @Override
  public Membership check(Object key) {
    return checked(judge.judge(decisions.canonical(key), Purpose.CHECK));
  }

  @Override
  public CompletionStage<Membership> checkAsync(Object key) {
    return judge.judgeLater(
        List.of(decisions.canonical(key)),
        Purpose.CHECK,
        verdicts -> CompletableFuture.completedFuture(checked(verdicts[0])),
        NOTHING_LATE);
  }

  private Membership checked(Verdict verdict) {
    decisions.record(verdict.outcome());
    return judge.membership(verdict);
  }

  @Override
  public List<Membership> checkAll(Collection<?> keys) {
    return checkAll(keys, Duration.ZERO);
  }

  @Override
  public List<Membership> checkAll(Collection<?> keys, Duration atLeast) {
    return allChecked(judge.judgeAll(decisions.canonical(keys), Purpose.CHECK, atLeast));
  }

  @Override
  public CompletionStage<List<Membership>> checkAllAsync(Collection<?> keys) {
    return judge.judgeLater(
        decisions.canonical(keys),
        Purpose.CHECK,
        verdicts -> CompletableFuture.completedFuture(allChecked(verdicts)),
        NOTHING_LATE);
  }

  private List<Membership> allChecked(Verdict[] verdicts) {
    Membership[] answers = new Membership[verdicts.length];
    for (int i = 0; i < answers.length; i++) {
      answers[i] = checked(verdicts[i]);
    }
    return List.of(answers);
  }

  /**
   * The existence of a key elsewhere does not show whether it is on a blacklist, nor without a
   * scope whether the filter lacks it.
   */
  @Override
  public int reportFound(Collection<?> keys) {
    return decisions.filter.rejection().reject() == Reject.PRESENT || decisions.lacksScope()
        ? 0
        : decisions.filter.verification().report(decisions.distinct(keys), decisions.entry, caller);
  }

  // Entry points, whose callers continue by themselves

  @Override
  public boolean admit(Object key) {
    Verdict verdict = judge.judge(decisions.canonical(key), Purpose.ADMIT);
    decisions.record(verdict.outcome());
    return verdict.passes();
  }

  @Override
  public boolean admitUnclear() {
    boolean listed = decisions.filter.rejection().reject() == Reject.PRESENT;
    boolean closed = Policy.undecided(decisions.filter) == Verdict.REFUSE;
    if (!listed && !closed || !decisions.filter.verification().enforces()) {
      return true;
    }
    decisions.record(listed ? Outcome.REJECTED : Outcome.SHED);
    if (listed) {
      return false;
    }
    throw RequestShedException.undecided(filter());
  }

  @Override
  public boolean letPass() {
    return decisions.filter.verification().letsPass();
  }

  /** A single key of which nothing is held, as of a rejected one, is asked for without lists. */
  @Override
  public <K> Pass<K> ask(Ask<K> ask) {
    if (!ask.isSingle()) {
      List<String> asked = decisions.canonical(ask.keys());
      return passed(ask, asked, judge.judgeAll(asked, purpose(ask), Duration.ZERO));
    }
    Object asked = decisions.canonical(ask.key());
    Verdict verdict = judge.judge(asked, purpose(ask));
    return verdict.holdsNothing()
        ? ended(ask, verdict)
        : passed(ask, List.of(asked), new Verdict[] {verdict});
  }

  @Override
  public <K> CompletableFuture<Pass<K>> askLater(Ask<K> ask) {
    if (!ask.isSingle()) {
      return askLater(ask, decisions.canonical(ask.keys()));
    }
    Object asked = decisions.canonical(ask.key());
    if (!judge.isAtOnce()) {
      return askLater(ask, List.of(asked));
    }
    Verdict verdict = judge.judge(asked, purpose(ask));
    return verdict.holdsNothing()
        ? KeysPass.come(ended(ask, verdict))
        : passedLater(ask, List.of(asked), new Verdict[] {verdict});
  }

  private <K> CompletableFuture<Pass<K>> askLater(Ask<K> ask, List<?> asked) {
    return judge.judgeLater(
        asked, purpose(ask), verdicts -> passedLater(ask, asked, verdicts), Pass::close);
  }

  private static Purpose purpose(Ask<?> ask) {
    return ask.tries() ? Purpose.TRY : Purpose.ADMIT;
  }

  /** The pass of a single key that holds nothing. */
  private <K> Pass<K> ended(Ask<K> ask, Verdict verdict) {
    decisions.record(verdict.outcome());
    return verdict.passes() ? new KeysPass<>(ask, null, null) : KeysPass.none();
  }

  private <K> Pass<K> passed(Ask<K> ask, List<?> asked, Verdict[] verdicts) {
    Trial trial = tried(asked, verdicts);
    return trial != null
        ? new KeysPass<>(ask, null, trial)
        : settled(ask, verdicts, decisions.place(asked, verdicts, ask.loads()));
  }

  private <K> CompletableFuture<Pass<K>> passedLater(
      Ask<K> ask, List<?> asked, Verdict[] verdicts) {
    Trial trial = tried(asked, verdicts);
    if (trial != null) {
      return CompletableFuture.completedFuture(
          new KeysPass<>(
              ask, null, trial.endedBy(decisions.async.stays() ? null : steps.threads())));
    }
    CompletableFuture<Place> place = decisions.placeAsync(asked, verdicts, ask.loads());
    return place == null
        ? CompletableFuture.completedFuture(settled(ask, verdicts, null))
        : KeysPass.later(
            place,
            taken -> settled(ask, verdicts, taken),
            failure -> decisions.record(KeyDecisions.ending(failure), verdicts.length));
  }

  /** The trial of a single key that may be tried; without one its verdict is another. */
  private @Nullable Trial tried(List<?> asked, Verdict[] verdicts) {
    if (verdicts.length != 1 || !verdicts[0].isTrial()) {
      return null;
    }
    Object key = asked.get(0);
    Trial trial = trials.begin(key, verdicts[0], false);
    verdicts[0] = trial == null ? judge.policy().untried(key) : verdicts[0];
    return trial;
  }

  private <K> Pass<K> settled(Ask<K> ask, Verdict[] verdicts, @Nullable Place place) {
    List<K> passing = new ArrayList<>(verdicts.length);
    for (int i = 0; i < verdicts.length; i++) {
      decisions.record(verdicts[i].outcome());
      if (verdicts[i].passes()) {
        passing.add(ask.keys().get(i));
      }
    }
    return new KeysPass<>(ask.of(passing), place, null);
  }

  // Loads of one key

  @Override
  public <X extends Throwable> @Nullable V call(Object key, ValueLoader<V, X> loader) throws X {
    return loaded(key, loader, false);
  }

  @Override
  public <X extends Throwable> @Nullable V get(Object key, ValueLoader<V, X> loader) throws X {
    return loaded(key, loader, caches);
  }

  private <X extends Throwable> @Nullable V loaded(
      Object key, ValueLoader<V, X> loader, boolean cached) throws X {
    Object asked = decisions.canonical(key);
    Verdict verdict = judge.judge(asked, Purpose.TRY);
    if (verdict.isTrial()) {
      Trial trial = trials.begin(asked, verdict, cached);
      if (trial != null) {
        return trials.load(trial, loader);
      }
      verdict = judge.policy().untried(asked);
    }
    if (!verdict.passes()) {
      decisions.record(verdict.outcome());
      return null;
    }
    if (!cached) {
      return uncached(asked, verdict, loader);
    }
    Outcome outcome = Outcome.ERROR;
    try {
      Answer<V> answer = steps.get(decisions.request(asked, verdict), loader);
      outcome = verdict.outcome(answer);
      return answer.value();
    } catch (RequestShedException e) {
      outcome = Outcome.SHED;
      throw e;
    } finally {
      decisions.record(outcome);
    }
  }

  private <X extends Throwable> @Nullable V uncached(
      Object asked, Verdict verdict, ValueLoader<V, X> loader) throws X {
    if (!verdict.holdsNothing()) {
      return uncached(List.of(asked), new Verdict[] {verdict}, loader);
    }
    Throwable thrown = null;
    try {
      return loader.load();
    } catch (Throwable e) {
      thrown = e;
      throw e;
    } finally {
      record(verdict, thrown);
    }
  }

  /**
   * Loads the keys of one call that pass, in their place if they need one. The outcomes of all its
   * keys are counted at its end.
   */
  private <T, X extends Throwable> @Nullable T uncached(
      List<?> asked, Verdict[] verdicts, ValueLoader<T, X> loader) throws X {
    Place place = decisions.place(asked, verdicts, true);
    Throwable thrown = null;
    try (place;
        Scope scope = Place.enter(place)) {
      return loader.load();
    } catch (Throwable e) {
      thrown = e;
      throw e;
    } finally {
      recordAll(verdicts, thrown);
    }
  }

  @Override
  public CompletionStage<@Nullable V> getAsync(
      Object key, Supplier<? extends CompletionStage<? extends @Nullable V>> loader) {
    Object asked = decisions.canonical(key);
    return judge.judgeLater(
        List.of(asked),
        caches ? Purpose.TRY : Purpose.ADMIT,
        verdicts -> loadedAsync(asked, verdicts[0], loader),
        NOTHING_LATE);
  }

  private CompletionStage<@Nullable V> loadedAsync(
      Object asked,
      Verdict verdict,
      Supplier<? extends CompletionStage<? extends @Nullable V>> loader) {
    if (verdict.isTrial()) {
      return trials.loadAsync(
          asked, verdict, loader, () -> loadedAsync(asked, judge.policy().untried(asked), loader));
    }
    if (!verdict.passes()) {
      decisions.record(verdict.outcome());
      return CompletableFuture.completedFuture(null);
    }
    if (!caches || verdict == Verdict.PENDING) {
      return uncachedAsync(List.of(asked), new Verdict[] {verdict}, loader);
    }
    return steps
        .getAsync(decisions.request(asked, verdict), loader)
        .whenComplete(
            (answer, failure) ->
                decisions.record(
                    answer != null ? verdict.outcome(answer) : KeyDecisions.ending(failure)))
        .<@Nullable V>thenApply(Answer::value);
  }

  /** {@link #uncached} for a caller whose thread must not wait. */
  private <T> CompletionStage<@Nullable T> uncachedAsync(
      List<?> asked,
      Verdict[] verdicts,
      Supplier<? extends CompletionStage<? extends @Nullable T>> loader) {
    CompletableFuture<Place> place = decisions.placeAsync(asked, verdicts, true);
    CompletionStage<? extends @Nullable T> loaded =
        place == null
            ? LoadStages.begin(loader, null)
            : place.<@Nullable T>thenCompose(
                taken ->
                    LoadStages.<T>begin(loader, taken)
                        .<@Nullable T>thenApply(value -> value)
                        .whenComplete((value, failure) -> taken.close()));
    return LoadStages.<T>forCaller(
        loaded.whenComplete((value, failure) -> recordAll(verdicts, failure)));
  }

  private void recordAll(Verdict[] verdicts, @Nullable Throwable failure) {
    for (Verdict verdict : verdicts) {
      record(verdict, failure);
    }
  }

  private void record(Verdict verdict, @Nullable Throwable failure) {
    decisions.record(
        failure == null || !verdict.passes() ? verdict.outcome() : KeyDecisions.ending(failure));
  }

  // Loads of many keys

  @Override
  public <K, X extends Throwable> Map<K, V> getAll(Collection<K> keys, BatchLoader<K, V, X> loader)
      throws X {
    return caches ? batchCalls.getAll(keys, loader) : allUncached(keys, loader);
  }

  private <K, X extends Throwable> Map<K, V> allUncached(
      Collection<K> keys, BatchLoader<K, V, X> loader) throws X {
    Map<String, List<K>> spellings = decisions.spellings(keys);
    List<String> distinct = List.copyOf(spellings.keySet());
    Verdict[] verdicts = judge.judgeAll(distinct, Purpose.ADMIT, Duration.ZERO);
    Set<K> passing = passing(spellings, distinct, verdicts);
    ValueLoader<Map<K, V>, X> all =
        () -> passing.isEmpty() ? Map.of() : decisions.found(passing, loader.load(passing));
    return Objects.requireNonNull(uncached(distinct, verdicts, all));
  }

  @Override
  public <K> CompletionStage<Map<K, V>> getAllAsync(
      Collection<K> keys, Function<? super Set<K>, ? extends CompletionStage<Map<K, V>>> loader) {
    Map<String, List<K>> spellings = decisions.spellings(keys);
    // The thread that has pending writes begins the load, since only its loads find them.
    if (caches && judge.unasked() == null) {
      List<K> asked = spellings.values().stream().flatMap(List::stream).toList();
      EntryGuard<V> own = ofCall(null); // The other thread may have no scope.
      return decisions.async.batch(
          spellings.size(), () -> own.getAll(asked, decisions.async.waiting(loader)));
    }
    List<String> distinct = List.copyOf(spellings.keySet());
    return judge.judgeLater(
        distinct,
        Purpose.ADMIT,
        verdicts -> {
          Set<K> passing = passing(spellings, distinct, verdicts);
          Supplier<CompletionStage<Map<K, V>>> all =
              () ->
                  passing.isEmpty()
                      ? CompletableFuture.completedFuture(Map.of())
                      : loader.apply(passing).thenApply(values -> decisions.found(passing, values));
          return this.<Map<K, V>>uncachedAsync(distinct, verdicts, all)
              .thenApply(Objects::requireNonNull);
        },
        NOTHING_LATE);
  }

  /** The keys that pass, in all their spellings. */
  private static <K> Set<K> passing(
      Map<String, List<K>> spellings, List<String> distinct, Verdict[] verdicts) {
    Set<K> passing = new LinkedHashSet<>();
    for (int i = 0; i < verdicts.length; i++) {
      if (verdicts[i].passes()) {
        passing.addAll(spellings.getOrDefault(distinct.get(i), List.of()));
      }
    }
    return passing;
  }
}

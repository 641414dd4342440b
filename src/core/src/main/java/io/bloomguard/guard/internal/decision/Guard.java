package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.BatchLoader;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.HeldKeys;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.guard.internal.decision.Judge.Purpose;
import io.bloomguard.guard.internal.load.Answer;
import io.bloomguard.guard.internal.load.AsyncLoader;
import io.bloomguard.guard.internal.load.LoadStages;
import io.bloomguard.guard.internal.load.Place;
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
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The guard of one filter and one entry: has its keys judged, loads those that pass, and counts one
 * outcome for each.
 *
 * <p>Every method first admits its keys: a {@link Judge} gives the verdict on each. What a caller
 * gets for a key is then the same for every policy.
 *
 * @param caches whether the guard keeps values; otherwise each caller loads for itself
 * @param caller the code that calls, for messages
 */
record Guard<V>(
    KeyDecisions<V> decisions, Judge judge, KeyWrites writes, boolean caches, String caller)
    implements EntryGuard<V> {

  /** The answer to a caller that must not wait. */
  private static final CompletableFuture<Pass<Object>> REJECTED =
      CompletableFuture.completedFuture(Pass.none());

  @Override
  public EntryGuard<V> ofCall(@Nullable Object context) {
    KeyDecisions<V> own = decisions.ofCall(context);
    return own == decisions
        ? this
        : new Guard<>(own, new Judge(own, judge.policy(), judge.exact()), writes, caches, caller);
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
  public Membership check(Object key) {
    return checked(judge.judge(decisions.canonical(key), Purpose.CHECK));
  }

  @Override
  public CompletionStage<Membership> checkAsync(Object key) {
    List<?> asked = List.of(decisions.canonical(key));
    return LoadStages.then(
        judge.judgeAll(asked, Purpose.CHECK, null, this::allChecked),
        answers -> CompletableFuture.completedFuture(answers.get(0)));
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
    return LoadStages.<List<Membership>, RuntimeException>result(
        judge.judgeAll(decisions.canonical(keys), Purpose.CHECK, atLeast, this::allChecked));
  }

  @Override
  public CompletionStage<List<Membership>> checkAllAsync(Collection<?> keys) {
    return judge.judgeAll(decisions.canonical(keys), Purpose.CHECK, null, this::allChecked);
  }

  private CompletableFuture<List<Membership>> allChecked(Verdict[] verdicts) {
    return CompletableFuture.completedFuture(Stream.of(verdicts).map(this::checked).toList());
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
    Object key = ask.isSingle() ? decisions.canonical(ask.key()) : null;
    Verdict verdict = key == null ? null : judge.judge(key, purpose(ask));
    return verdict != null && verdict.holdsNothing()
        ? ended(ask, verdict)
        : LoadStages.<Pass<K>, RequestShedException>result(asked(ask, key, verdict, true));
  }

  @Override
  public <K> CompletableFuture<Pass<K>> askLater(Ask<K> ask) {
    Object key = ask.isSingle() ? decisions.canonical(ask.key()) : null;
    Verdict verdict = key != null && judge.isAtOnce() ? judge.judge(key, purpose(ask)) : null;
    if (verdict == null || !verdict.holdsNothing()) {
      return asked(ask, key, verdict, false);
    }
    Pass<K> pass = ended(ask, verdict);
    return verdict.passes() ? CompletableFuture.completedFuture(pass) : rejected();
  }

  /**
   * Goes on with a question.
   *
   * @param key that of a single one
   * @param verdict on that, if it is there
   */
  private <K> CompletableFuture<Pass<K>> asked(
      Ask<K> ask, @Nullable Object key, @Nullable Verdict verdict, boolean waits) {
    List<?> asked = key == null ? decisions.canonical(ask.keys()) : List.of(key);
    return verdict != null
        ? passed(ask, asked, new Verdict[] {verdict}, waits)
        : judge.judgeAll(
            asked,
            purpose(ask),
            waits ? Duration.ZERO : null,
            verdicts -> passed(ask, asked, verdicts, waits));
  }

  /** The pass of a single key that holds nothing. */
  private <K> Pass<K> ended(Ask<K> ask, Verdict verdict) {
    decisions.record(verdict.outcome());
    return verdict.passes() ? new Pass<>(ask, null, false) : Pass.none();
  }

  @SuppressWarnings("unchecked") // without a key
  private static <K> CompletableFuture<Pass<K>> rejected() {
    return (CompletableFuture<Pass<K>>) (CompletableFuture<?>) REJECTED;
  }

  private static Purpose purpose(Ask<?> ask) {
    return ask.tries() ? Purpose.TRY : Purpose.ADMIT;
  }

  private <K> CompletableFuture<Pass<K>> passed(
      Ask<K> ask, List<?> asked, Verdict[] verdicts, boolean waits) {
    boolean here = waits || decisions.async.stays();
    if (ask.isSingle() && verdicts[0].isTrial()) {
      Object key = asked.get(0);
      Trial trial = trials().begin(key, verdicts[0]);
      if (trial != null) {
        return CompletableFuture.completedFuture(
            new Pass<>(ask, trial.endedBy(here ? null : decisions.steps.threads()), true));
      }
      verdicts[0] = judge.policy().untried(key);
    }
    HeldKeys<K> tried =
        ask.isSingle() || Stream.of(verdicts).noneMatch(Verdict::isTrial)
            ? null
            : trials()
                .begin(
                    ask.keys(),
                    asked,
                    verdicts,
                    judge.policy()::untried,
                    here ? null : decisions.steps.threads());
    CompletableFuture<Place> place = decisions.place(asked, verdicts, ask.loads(), waits);
    return place == null
        ? CompletableFuture.completedFuture(settled(ask, verdicts, tried, null))
        : passed(ask, verdicts, tried, place);
  }

  /** The pass that follows a place; a caller that cancels it gives the place up. */
  private <K> CompletableFuture<Pass<K>> passed(
      Ask<K> ask, Verdict[] verdicts, @Nullable HeldKeys<K> tried, CompletableFuture<Place> place) {
    CompletableFuture<Pass<K>> pass = new CompletableFuture<>();
    place.whenComplete(
        (taken, failure) -> {
          if (failure != null) {
            if (tried != null) {
              tried.close(); // counts its own keys
            }
            int trials = tried == null ? 0 : tried.trials().size();
            decisions.record(KeyDecisions.ending(failure), verdicts.length - trials);
            pass.completeExceptionally(failure);
            return;
          }
          Pass<K> come = settled(ask, verdicts, tried, taken);
          if (!pass.complete(come)) {
            come.close();
          }
        });
    pass.whenComplete((come, failure) -> place.cancel(false));
    return pass;
  }

  private <K> Pass<K> settled(
      Ask<K> ask, Verdict[] verdicts, @Nullable HeldKeys<K> tried, @Nullable Place place) {
    List<K> passing = new ArrayList<>(verdicts.length);
    for (int i = 0; i < verdicts.length; i++) {
      boolean isTrial = verdicts[i].isTrial(); // which counts its key itself
      if (!isTrial) {
        decisions.record(verdicts[i].outcome());
      }
      if (isTrial || verdicts[i].passes()) {
        passing.add(ask.keys().get(i));
      }
    }
    return new Pass<>(ask.of(passing), tried == null ? place : tried.beside(place), tried != null);
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
    if (verdict.isTrial() || (!cached && verdict.isExtra())) {
      return LoadStages.<@Nullable V, X>result(
          loading(asked, verdict, cached, AsyncLoader.of(loader), true));
    }
    Outcome outcome = Outcome.ERROR;
    try {
      if (verdict.passes() && cached) {
        Answer<V> answer = decisions.steps.get(decisions.request(asked, verdict), loader);
        outcome = verdict.outcome(answer);
        return answer.value();
      }
      V value = verdict.passes() ? loader.load() : null;
      outcome = verdict.outcome();
      return value;
    } catch (RequestShedException e) {
      outcome = Outcome.SHED;
      throw e;
    } finally {
      decisions.record(outcome);
    }
  }

  /** Loads a key whose caller waits for a place, a trial or another thread. */
  private CompletableFuture<@Nullable V> loading(
      Object asked, Verdict verdict, boolean cached, AsyncLoader<V> loader, boolean waits) {
    if (verdict.isTrial()) {
      return trials()
          .load(
              asked,
              verdict,
              cached,
              loader,
              waits,
              () -> loading(asked, judge.policy().untried(asked), cached, loader, waits));
    }
    if (!verdict.passes()) {
      decisions.record(verdict.outcome());
      return CompletableFuture.completedFuture(null);
    }
    if (!cached || verdict == Verdict.PENDING) {
      return uncached(List.of(asked), new Verdict[] {verdict}, loader, waits);
    }
    CompletableFuture<Answer<V>> answer =
        LoadStages.after(
            decisions.steps.load(decisions.request(asked, verdict), loader, waits),
            (found, failure) ->
                decisions.record(
                    found != null ? verdict.outcome(found) : KeyDecisions.ending(failure)));
    return LoadStages.then(
        answer, found -> CompletableFuture.<@Nullable V>completedFuture(found.value()));
  }

  private Trials<V> trials() {
    return new Trials<>(decisions, caller);
  }

  /**
   * Loads the keys of one call that pass, in their place if they need one, and keeps nothing. The
   * outcomes of all its keys are counted at its end.
   */
  private <T> CompletableFuture<@Nullable T> uncached(
      List<?> asked, Verdict[] verdicts, AsyncLoader<T> loader, boolean waits) {
    CompletableFuture<Place> place = decisions.place(asked, verdicts, true, waits);
    CompletionStage<? extends @Nullable T> loaded =
        place == null
            ? loader.within(null)
            : LoadStages.<Place, @Nullable T>then(
                place,
                taken -> LoadStages.after(loader.within(taken), (value, failure) -> taken.close()));
    return LoadStages.after(
        loaded,
        (value, failure) -> {
          for (Verdict verdict : verdicts) {
            decisions.record(
                failure == null || !verdict.passes()
                    ? verdict.outcome()
                    : KeyDecisions.ending(failure));
          }
        });
  }

  @Override
  public CompletionStage<@Nullable V> getAsync(
      Object key, Supplier<? extends CompletionStage<? extends @Nullable V>> loader) {
    Object asked = decisions.canonical(key);
    return judge.judgeAll(
        List.of(asked),
        caches ? Purpose.TRY : Purpose.ADMIT,
        null,
        verdicts ->
            LoadStages.<V>forCaller(loading(asked, verdicts[0], caches, loader::get, false)));
  }

  // Loads of many keys

  @Override
  public <K, X extends Throwable> Map<K, V> getAll(Collection<K> keys, BatchLoader<K, V, X> loader)
      throws X {
    if (caches) {
      return new BatchCall<>(decisions, trials(), keys, loader).get(judge);
    }
    return LoadStages.<Map<K, V>, X>result(
        uncached(
            decisions.spellings(keys),
            passing -> LoadStages.made(() -> loader.load(passing)),
            true));
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
    return uncached(spellings, loader, false);
  }

  /** Loads those of the keys of one call that pass, in all their spellings. */
  private <K> CompletableFuture<Map<K, V>> uncached(
      Map<String, List<K>> spellings,
      Function<? super Set<K>, ? extends CompletionStage<@Nullable Map<K, V>>> loader,
      boolean waits) {
    List<String> distinct = List.copyOf(spellings.keySet());
    return judge.judgeAll(
        distinct,
        Purpose.ADMIT,
        waits ? Duration.ZERO : null,
        verdicts -> {
          Set<K> passing = new LinkedHashSet<>();
          for (int i = 0; i < verdicts.length; i++) {
            passing.addAll(verdicts[i].passes() ? spellings.get(distinct.get(i)) : List.of());
          }
          AsyncLoader<Map<K, V>> all =
              () ->
                  passing.isEmpty()
                      ? CompletableFuture.completedFuture(Map.of())
                      : LoadStages.then(
                          loader.apply(passing).toCompletableFuture(),
                          values -> LoadStages.made(() -> decisions.found(passing, values)));
          return LoadStages.then(
              this.<Map<K, V>>uncached(distinct, verdicts, all, waits),
              values -> CompletableFuture.completedFuture(Objects.requireNonNull(values)));
        });
  }
}

package io.bloomguard.guard.decision;

import io.bloomguard.guard.BloomGuard.Admission;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.GuardListener.LoadListener;
import io.bloomguard.guard.GuardedFilter;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.Outcome;
import io.bloomguard.guard.Place;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.Trial;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.load.Answer;
import io.bloomguard.guard.load.AsyncLoads;
import io.bloomguard.guard.load.KeyedLoads;
import io.bloomguard.guard.load.LoadRequest;
import io.bloomguard.guard.load.LoadStages;
import io.bloomguard.guard.load.LoadSteps;
import io.bloomguard.guard.load.LoadThreads.Timeout;
import io.bloomguard.guard.load.ReadView;
import io.bloomguard.guard.load.TrialPlaces;
import io.bloomguard.guard.verify.Verification;
import io.bloomguard.guard.verify.Verification.Ruling;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The ways of the keys that a filter calls absent: most are rejected, a few are tried, and all pass
 * like other keys if the filter does not enforce.
 */
final class RejectedKeys<V> {

  /**
   * How long reads may lag behind the end of a write: those of a replica of the database, or of a
   * cache between guard and row that the application empties a moment later.
   */
  private static final long LAG = TimeUnit.MINUTES.toNanos(1);

  private final KeyDecisions<V> decisions;
  private final GuardedFilter filter;
  private final Verification verification;
  private final LoadSteps steps;
  private final KeyedLoads loads;
  private final AsyncLoads asyncLoads;
  private final String caller;

  RejectedKeys(KeyDecisions<V> decisions, KeyedLoads loads, AsyncLoads asyncLoads, String caller) {
    this.decisions = decisions;
    this.filter = decisions.filter;
    this.verification = filter.verification();
    this.steps = decisions.steps;
    this.loads = loads;
    this.asyncLoads = asyncLoads;
    this.caller = caller;
  }

  /** Whether a key is rejected in a call that only asks for the decision. */
  boolean rejects(Object asked) {
    return !steps.isUnnamedHere() && verification.rejects(judged(asked));
  }

  /** Whether an absent key passes: it does under trial, or if the filter does not enforce. */
  boolean admit(Object asked, @Nullable Consumer<? super Trial> onTrial) {
    if (onTrial == null) {
      record(Outcome.REJECTED);
      return !rejects(asked);
    }
    Object judged = judged(asked);
    Ruling ruling = ruling(judged);
    Trial trial = trial(ruling, judged);
    if (trial != null) {
      onTrial.accept(trial);
      return true;
    }
    record(Outcome.REJECTED);
    return unplaced(ruling, judged) == Ruling.PASS;
  }

  /**
   * Admits an absent key under trial, or if the filter does not enforce.
   *
   * @param key as the caller gave it
   */
  <K> CompletableFuture<Admission<K>> enterAsync(
      K key, Object asked, Consumer<? super Trial> onTrial) {
    Object judged = judged(asked);
    Ruling ruling = ruling(judged);
    Trial trial = trial(ruling, judged);
    if (trial != null) {
      onTrial.accept(trial);
      return CompletableFuture.completedFuture(new BulkheadAdmission<>(List.of(key), null, trial));
    }
    if (unplaced(ruling, judged) == Ruling.PASS) {
      long nanos = steps.queueing(true, System.nanoTime());
      return BulkheadAdmission.later(
          steps.bulkhead().enterAsync(Place.current(), nanos),
          place -> {
            record(Outcome.REJECTED);
            return new BulkheadAdmission<>(List.of(key), place);
          },
          failure -> record(KeyDecisions.ending(failure)));
    }
    record(Outcome.REJECTED);
    return CompletableFuture.completedFuture(new BulkheadAdmission<>(List.of(), null));
  }

  /**
   * The value of an absent key, which is loaded under trial alone, or if the filter does not
   * enforce.
   */
  <X extends Throwable> @Nullable V get(Object asked, ValueLoader<V, X> loader) throws X {
    Object judged = judged(asked);
    Ruling first = ruling(judged);
    if (first != Ruling.TRY) {
      return ruled(first, judged, loader);
    }
    String key = KeyDecisions.text(judged);
    TrialPlaces places = TrialPlaces.tryTake(steps, key);
    Trial trial = places == null ? unplaced(key) : begin(key, places.place(), places::giveBack);
    return trial == null ? ruled(untried(key), key, loader) : tried(trial, loader);
  }

  private <X extends Throwable> @Nullable V ruled(
      Ruling ruling, Object judged, ValueLoader<V, X> loader) throws X {
    return switch (ruling) {
      case PASS -> passed(() -> loads.get(request(judged), loader).value());
      case WITHIN_TRIAL -> tried(within(judged), loader);
      default -> rejected();
    };
  }

  /** Calls the loader of an absent key under trial, or if the filter does not enforce. */
  <X extends Throwable> @Nullable V call(Object asked, ValueLoader<V, X> loader) throws X {
    Object judged = judged(asked);
    Ruling ruling = ruling(judged);
    Trial trial = trial(ruling, judged);
    if (trial != null) {
      return tried(trial, loader);
    }
    return unplaced(ruling, judged) == Ruling.PASS
        ? passed(() -> throughBulkhead(loader))
        : rejected();
  }

  /** The value of an absent key, for a caller whose thread must not wait. */
  CompletionStage<@Nullable V> getAsync(
      Object asked, Supplier<? extends CompletionStage<? extends @Nullable V>> loader) {
    Object judged = judged(asked);
    Ruling ruling = ruling(judged);
    if (ruling != Ruling.TRY) {
      return ruled(ruling, judged, loader);
    }
    String key = KeyDecisions.text(judged);
    ReadView view = steps.view();
    return LoadStages.<V>forCaller(
        TrialPlaces.takeAsync(steps, key, steps.staysOnThread())
            .<@Nullable V>thenCompose(
                places -> {
                  Trial trial =
                      places == null ? unplaced(key) : begin(key, view, places.place(), () -> {});
                  return trial == null || places == null
                      ? ruled(untried(key), key, loader)
                      : tried(trial, places::giveBack, loader);
                }));
  }

  private CompletionStage<@Nullable V> ruled(
      Ruling ruling,
      Object judged,
      Supplier<? extends CompletionStage<? extends @Nullable V>> loader) {
    return switch (ruling) {
      case PASS ->
          asyncLoads
              .get(request(judged), loader)
              .whenComplete((answer, failure) -> record(passing(answer, failure)))
              .<@Nullable V>thenApply(Answer::value);
      case WITHIN_TRIAL -> {
        Trial trial = within(judged);
        yield LoadStages.forCaller(
            stage(loader, filter.listener().onLoad())
                .whenComplete((value, failure) -> endWithoutWait(trial, value, failure)));
      }
      default -> CompletableFuture.completedFuture(rejected());
    };
  }

  /**
   * @param judged a number, or the folded text of a key
   */
  Ruling ruling(Object judged) {
    return steps.isUnnamedHere() ? Ruling.PASS : verification.ruling(judged);
  }

  /**
   * The form of an asked key in trials, which is one for all spellings of a key. A number has only
   * one spelling.
   */
  private Object judged(Object asked) {
    return asked instanceof String text ? filter.folding().fold(text) : asked;
  }

  /** The ruling on a key that was to be tried and is not. */
  Ruling untried(Object judged) {
    return verification.untried(judged);
  }

  /** The trial of a key that a ruling allows; null if there is none, or no place for it. */
  private @Nullable Trial trial(Ruling ruling, Object judged) {
    return switch (ruling) {
      case TRY -> beginPlaced(judged);
      case WITHIN_TRIAL -> within(judged);
      default -> null;
    };
  }

  /** The ruling on a key that got no trial. */
  private Ruling unplaced(Ruling ruling, Object judged) {
    return ruling == Ruling.TRY ? untried(judged) : ruling;
  }

  /** The part of this guard in the outer trial of a key, which has the places. */
  Trial within(Object judged) {
    return verification.within(judged, decisions.entry, filter.counters());
  }

  /** The trial of a key in a place of the bulkhead; null if there is no place for it. */
  private @Nullable Trial beginPlaced(Object judged) {
    Place place = steps.bulkhead().tryEnterTrial();
    return place == null
        ? unplaced(judged)
        : begin(KeyDecisions.text(judged), steps.view(), place, place::close);
  }

  /**
   * The trial of a key; null if there is no place for it.
   *
   * @param key folded
   */
  @Nullable Trial begin(String key, @Nullable Place place, @Nullable Runnable release) {
    return release == null ? unplaced(key) : begin(key, steps.view(), place, release);
  }

  private Trial begin(String key, ReadView view, @Nullable Place place, Runnable release) {
    return verification.begin(
        key, decisions.entry, caller, filter.counters(), reads(key, view), place, release);
  }

  private @Nullable Trial unplaced(Object judged) {
    verification.giveUp(judged);
    return null;
  }

  /**
   * Whether reads from now on may be older than the filter's answer: the generation is newer than
   * the transaction around the call or a session that it reads in, or a write of the key has ended
   * since that began, or shortly before. The sessions are those of the caller's thread and of the
   * one that asks first. A transaction may have made the row that it reads: the test waits for its
   * end.
   */
  private Supplier<CompletableFuture<BooleanSupplier>> reads(String key, ReadView view) {
    Long old = view.began();
    long began = old == null ? System.nanoTime() : old;
    return () -> {
      Long used = view.used(began, steps.view()).began();
      long oldest = used == null ? began : used;
      return steps.afterTransaction(() -> mayBeOlder(key, oldest));
    };
  }

  private boolean mayBeOlder(String key, long oldest) {
    if (verification.isNewerThan(oldest)) {
      return true;
    }
    try {
      return new ReadView(oldest - LAG).mayLack(steps.cache().lastWrite(key));
    } catch (CacheUnavailableException e) {
      return true;
    }
  }

  private <X extends Throwable> @Nullable V tried(Trial trial, ValueLoader<V, X> loader) throws X {
    try (trial;
        Trial.Scope scope = trial.enter()) {
      V value;
      try {
        value = steps.timed(loader, filter.listener());
      } catch (Throwable e) {
        end(trial, null, e);
        throw e;
      }
      end(trial, value, null);
      return value;
    }
  }

  /** Ends a trial by what its load shows of the key, on a thread that may wait. */
  void end(Trial trial, @Nullable Object value, @Nullable Throwable failure) {
    decisions.type.findings().judge(trial, value, failure, this::found);
  }

  /** Ends a trial by what its load shows, on a thread that must not wait for the verdict. */
  void endWithoutWait(Trial trial, @Nullable Object value, @Nullable Throwable failure) {
    decisions.type.findings().judge(trial, value, failure, Trial::found);
  }

  private void found(Trial trial) {
    if (steps.view().mayBeOld()) {
      // Its connection may be the only one, and the source needs another.
      trial.found();
    } else {
      trial.foundAndWait();
    }
  }

  /**
   * Runs a trial that keeps its places until the load really ends, however long its caller waits.
   */
  private CompletionStage<@Nullable V> tried(
      Trial trial,
      Runnable release,
      Supplier<? extends CompletionStage<? extends @Nullable V>> loader) {
    long begin = System.nanoTime();
    LoadListener listener = filter.listener().onLoad();
    CompletionStage<? extends @Nullable V> stage;
    try (Trial.Scope scope = trial.enter()) {
      stage = stage(loader, listener);
    }
    CompletableFuture<@Nullable V> answer = new CompletableFuture<>();
    Timeout limit =
        steps
            .threads()
            .after(
                steps.settings().timeout().toNanos(),
                () -> answer.completeExceptionally(new TimeoutException()));
    stage.whenComplete(
        (value, failure) -> {
          limit.cancel();
          release.run();
          listener.onEnd(LoadStages.result(value, failure), System.nanoTime() - begin);
          if (failure != null) {
            endWithoutWait(trial, null, failure);
            answer.completeExceptionally(LoadStages.unwrapped(failure));
          } else if (value == null) {
            endWithoutWait(trial, null, null);
            answer.complete(null);
          } else {
            // The verdict asks filter and cache again, which may take a while.
            steps.threads().execute(() -> found(trial, value, answer));
          }
        });
    return answer.whenComplete((value, failure) -> trial.close());
  }

  private void found(Trial trial, V value, CompletableFuture<@Nullable V> answer) {
    try {
      endWithoutWait(trial, value, null);
    } finally {
      answer.complete(value);
    }
  }

  private CompletionStage<? extends @Nullable V> stage(
      Supplier<? extends CompletionStage<? extends @Nullable V>> loader, LoadListener listener) {
    try {
      return LoadStages.begin(loader, null);
    } finally {
      listener.onReturn();
    }
  }

  private @Nullable V rejected() {
    record(Outcome.REJECTED);
    return null;
  }

  /** Loads a key that counts as rejected, unless the load fails. */
  private <X extends Throwable> @Nullable V passed(ValueLoader<V, X> way) throws X {
    Outcome outcome = Outcome.ERROR;
    try {
      V value = way.load();
      outcome = Outcome.REJECTED;
      return value;
    } catch (RequestShedException e) {
      outcome = Outcome.SHED;
      throw e;
    } finally {
      record(outcome);
    }
  }

  private static Outcome passing(@Nullable Answer<?> answer, @Nullable Throwable failure) {
    Outcome ending = KeyDecisions.ending(Membership.UNKNOWN, answer, failure);
    return ending == Outcome.BYPASSED ? Outcome.REJECTED : ending;
  }

  private <X extends Throwable> @Nullable V throughBulkhead(ValueLoader<V, X> loader) throws X {
    return steps.inPlace(steps.queueing(true, System.nanoTime()), loader);
  }

  /**
   * The request for a key that passes although the filter called it absent: the filter could
   * decide, but its rejections take no effect.
   */
  private LoadRequest<V> request(Object judged) {
    return new LoadRequest<>(
        KeyDecisions.text(judged),
        decisions.type,
        true,
        true,
        filter.listener(),
        steps.cacheOfCall());
  }

  void record(Outcome outcome) {
    decisions.record(outcome);
  }
}

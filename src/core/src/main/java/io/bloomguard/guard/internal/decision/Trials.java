package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.Failures;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.internal.GuardListener.LoadListener;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.Place;
import io.bloomguard.guard.internal.load.CacheLoads;
import io.bloomguard.guard.internal.load.LoadStages;
import io.bloomguard.guard.internal.load.LoadThreads.Timeout;
import io.bloomguard.guard.internal.load.ReadView;
import io.bloomguard.guard.internal.load.TrialPlaces;
import io.bloomguard.guard.internal.verify.Trial;
import io.bloomguard.guard.internal.verify.Verdict;
import io.bloomguard.guard.internal.verify.Verification;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The trials of the keys that a filter calls absent, from their places to their verdicts. */
final class Trials<V> {

  /**
   * How long reads may lag behind the end of a write: those of a replica of the database, or of a
   * cache between guard and row that the application empties a moment later.
   */
  private static final long LAG = TimeUnit.MINUTES.toNanos(1);

  private final KeyDecisions<V> decisions;
  private final GuardedFilter filter;
  private final Verification verification;
  private final CacheLoads steps;
  private final String caller;

  Trials(KeyDecisions<V> decisions, String caller) {
    this.decisions = decisions;
    this.filter = decisions.filter;
    this.verification = filter.verification();
    this.steps = decisions.steps;
    this.caller = caller;
  }

  /**
   * The trial of a key; null if there is no place for it.
   *
   * @param alone whether its load must be the only one of the key
   */
  @Nullable Trial begin(Object asked, Verdict verdict, boolean alone) {
    String key = folded(asked);
    if (verdict == Verdict.WITHIN_TRIAL) {
      return within(asked);
    }
    if (alone) {
      TrialPlaces places = TrialPlaces.tryTake(steps, key);
      return places == null
          ? giveUp(asked)
          : begin(key, steps.view(), places.place(), places::giveBack);
    }
    Place place = steps.bulkhead().tryEnterTrial();
    return place == null ? giveUp(asked) : begin(key, steps.view(), place, place::close);
  }

  /** The trial of a key of a batch, whose place it has; null if another caller loads the key. */
  @Nullable Trial begin(String key, @Nullable Place place, @Nullable TrialPlaces places) {
    return places == null ? giveUp(key) : begin(key, steps.view(), place, places::giveBack);
  }

  /** The part of this guard in the outer trial of a key, which has the places. */
  Trial within(Object asked) {
    return verification.within(KeyDecisions.judged(filter, asked), decisions::record);
  }

  private Trial begin(String key, ReadView view, @Nullable Place place, Runnable release) {
    return verification.begin(
        new Trial.Tried(
            key, decisions.entry, caller, decisions::record, reads(key, view), place, release));
  }

  private @Nullable Trial giveUp(Object asked) {
    verification.giveUp(KeyDecisions.judged(filter, asked));
    return null;
  }

  private String folded(Object asked) {
    return KeyDecisions.text(KeyDecisions.judged(filter, asked));
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

  <X extends Throwable> @Nullable V load(Trial trial, ValueLoader<V, X> loader) throws X {
    try (trial;
        Scope scope = trial.enter()) {
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
    // The connection of an old view may be the only one, and the source needs another.
    trial.end(decisions.type.findings().of(value, failure), !steps.view().mayBeOld());
  }

  /** Ends a trial by what its load shows, on a thread that must not wait for the verdict. */
  void endWithoutWait(Trial trial, @Nullable Object value, @Nullable Throwable failure) {
    trial.end(decisions.type.findings().of(value, failure), false);
  }

  /**
   * Loads a key under trial alone, for a caller whose thread must not wait.
   *
   * @param untried loads or rejects the key if there is no place for a trial
   */
  CompletionStage<@Nullable V> loadAsync(
      Object asked,
      Verdict verdict,
      Supplier<? extends CompletionStage<? extends @Nullable V>> loader,
      Supplier<CompletionStage<@Nullable V>> untried) {
    if (verdict == Verdict.WITHIN_TRIAL) {
      return LoadStages.<V>forCaller(load(within(asked), () -> {}, loader));
    }
    String key = folded(asked);
    ReadView view = steps.view();
    return LoadStages.<V>forCaller(
        TrialPlaces.takeAsync(steps, key, steps.staysOnThread())
            .<@Nullable V>thenCompose(
                places -> {
                  if (places == null) {
                    giveUp(asked);
                    return untried.get();
                  }
                  Trial trial = begin(key, view, places.place(), () -> {});
                  return load(trial, places::giveBack, loader);
                }));
  }

  /**
   * Runs a trial that keeps its places until the load really ends, however long its caller waits.
   */
  private CompletionStage<@Nullable V> load(
      Trial trial,
      Runnable release,
      Supplier<? extends CompletionStage<? extends @Nullable V>> loader) {
    long begin = System.nanoTime();
    LoadListener listener = filter.listener().onLoad();
    CompletionStage<? extends @Nullable V> stage;
    try (Scope scope = trial.enter()) {
      stage = LoadStages.begin(loader, null);
    }
    listener.onReturn();
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
          Runnable end = () -> end(trial, value, failure, answer);
          if (value == null) {
            end.run();
          } else {
            // The verdict asks filter and cache again, which may take a while.
            steps.threads().execute(end);
          }
        });
    return answer.whenComplete((value, failure) -> trial.close());
  }

  private void end(
      Trial trial,
      @Nullable V value,
      @Nullable Throwable failure,
      CompletableFuture<@Nullable V> answer) {
    try {
      endWithoutWait(trial, value, failure);
    } finally {
      if (failure == null) {
        answer.complete(value);
      } else {
        answer.completeExceptionally(Failures.unwrapped(failure));
      }
    }
  }
}

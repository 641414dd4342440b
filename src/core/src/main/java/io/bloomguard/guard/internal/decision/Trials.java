package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.internal.Held;
import io.bloomguard.guard.internal.HeldKeys;
import io.bloomguard.guard.internal.UnclearAnswer;
import io.bloomguard.guard.internal.load.AsyncLoader;
import io.bloomguard.guard.internal.load.LoadStages;
import io.bloomguard.guard.internal.load.LoadThreads;
import io.bloomguard.guard.internal.load.Place;
import io.bloomguard.guard.internal.load.ReadView;
import io.bloomguard.guard.internal.verify.Trial;
import io.bloomguard.guard.internal.verify.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The trials of the keys that a filter calls absent, from their places to their verdicts. */
record Trials<V>(KeyDecisions<V> decisions, String caller) {

  /**
   * How long reads may lag behind the end of a write: those of a replica of the database, or of a
   * cache between guard and row that the application empties a moment later.
   */
  private static final long LAG = TimeUnit.MINUTES.toNanos(1);

  /** The trial of a key that its caller loads; null if there is no place for it. */
  @Nullable Trial begin(Object asked, Verdict verdict) {
    if (verdict == Verdict.WITHIN_TRIAL) {
      return within(asked);
    }
    Place place = decisions.steps.bulkhead().tryEnterTrial();
    return place == null
        ? giveUp(asked)
        : begin(folded(asked), decisions.steps.view(), place, place::close);
  }

  /**
   * The trial of a key of a batch, whose load is the only one of the key; null if it cannot be.
   *
   * @param place that of all trials of the batch; null if there is none
   */
  @Nullable Trial begin(String key, @Nullable Place place) {
    Runnable release = place == null ? null : decisions.steps.tryTake(key, place, true).join();
    return place == null || release == null
        ? giveUp(key)
        : begin(key, decisions.steps.view(), place, release);
  }

  /**
   * The trials of the keys of a call that are to be tried, in one place, which their caller loads
   * together; null if there are none. The verdicts on keys without a trial change.
   *
   * @param keys as their caller has them
   * @param asked the same, as they are judged
   * @param untried the verdict on a key that is not tried
   * @param threads give the verdicts; null for the threads that end the trials
   */
  <K> @Nullable HeldKeys<K> begin(
      List<K> keys,
      List<?> asked,
      Verdict[] verdicts,
      Function<Object, Verdict> untried,
      @Nullable LoadThreads threads) {
    boolean first = Arrays.asList(verdicts).contains(Verdict.TRY);
    Place place = first ? decisions.steps.bulkhead().tryEnterTrial() : null;
    ReadView view = decisions.steps.view();
    List<Map.Entry<K, Held>> tried = new ArrayList<>();
    for (int i = 0; i < verdicts.length; i++) {
      if (!verdicts[i].isTrial()) {
        continue;
      }
      Object key = asked.get(i);
      Trial trial =
          verdicts[i] == Verdict.WITHIN_TRIAL
              ? within(key)
              : place == null ? giveUp(key) : begin(folded(key), view, place, () -> {});
      if (trial == null) {
        verdicts[i] = untried.apply(key);
      } else {
        tried.add(Map.entry(keys.get(i), trial.endedBy(threads)));
      }
    }
    HeldKeys<K> held = new HeldKeys<>(tried, place == null ? List.of() : List.of(place));
    return tried.isEmpty() ? null : held;
  }

  /** The part of this guard in the outer trial of a key, which has the places. */
  Trial within(Object asked) {
    return decisions
        .filter
        .verification()
        .within(KeyDecisions.judged(decisions.filter, asked), decisions::record);
  }

  private Trial begin(String key, ReadView view, Place place, Runnable release) {
    return decisions
        .filter
        .verification()
        .begin(
            new Trial.Tried(
                key, decisions.entry, caller, decisions::record, reads(key, view), place, release));
  }

  private @Nullable Trial giveUp(Object asked) {
    decisions.filter.verification().giveUp(KeyDecisions.judged(decisions.filter, asked));
    return null;
  }

  private String folded(Object asked) {
    return KeyDecisions.text(KeyDecisions.judged(decisions.filter, asked));
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
      Long used = view.used(began, decisions.steps.view()).began();
      long oldest = used == null ? began : used;
      return decisions.steps.afterTransaction(() -> mayBeOlder(key, oldest));
    };
  }

  private boolean mayBeOlder(String key, long oldest) {
    if (decisions.filter.verification().isNewerThan(oldest)) {
      return true;
    }
    try {
      return new ReadView(oldest - LAG).mayLack(decisions.steps.cache().lastWrite(key));
    } catch (CacheUnavailableException e) {
      return true;
    }
  }

  /**
   * Loads a key under trial.
   *
   * @param alone whether its load must be the only one of the key
   * @param untried loads or rejects the key if there is no place for a trial
   */
  CompletableFuture<@Nullable V> load(
      Object asked,
      Verdict verdict,
      boolean alone,
      AsyncLoader<V> loader,
      boolean waits,
      Supplier<CompletableFuture<@Nullable V>> untried) {
    if (verdict == Verdict.WITHIN_TRIAL) {
      return load(within(asked), () -> {}, loader, waits);
    }
    String key = folded(asked);
    ReadView view = decisions.steps.view();
    Place place = decisions.steps.bulkhead().tryEnterTrial();
    if (place == null) {
      giveUp(asked);
      return untried.get();
    }
    CompletableFuture<@Nullable Runnable> taking =
        alone
            ? decisions.steps.tryTake(key, place, waits)
            : CompletableFuture.<@Nullable Runnable>completedFuture(() -> {});
    return LoadStages.<@Nullable Runnable, @Nullable V>then(
        taking,
        release -> {
          if (release == null) {
            place.close();
            giveUp(asked);
            return untried.get();
          }
          Runnable all =
              () -> {
                release.run();
                place.close();
              };
          return load(begin(key, view, place, () -> {}), all, loader, waits);
        });
  }

  /**
   * Runs a trial that keeps its places until the load really ends, however long its caller waits.
   */
  private CompletableFuture<@Nullable V> load(
      Trial trial, Runnable release, AsyncLoader<V> loader, boolean waits) {
    CompletableFuture<@Nullable V> answer = new CompletableFuture<>();
    CompletableFuture<@Nullable V> loaded =
        decisions.steps.run(
            loader,
            trial,
            decisions.filter.listener(),
            waits,
            () -> answer.completeExceptionally(new TimeoutException()));
    loaded.whenComplete(
        (value, failure) -> {
          release.run();
          Runnable end =
              () -> {
                try {
                  end(trial, value, failure, waits);
                } finally {
                  LoadStages.end(answer, value, failure);
                }
              };
          if (value == null || waits) {
            end.run();
          } else {
            // The verdict asks filter and cache again, which may take a while.
            decisions.steps.threads().execute(end, refusal -> end.run());
          }
        });
    var unused = answer.whenComplete((value, failure) -> trial.close());
    return answer;
  }

  /**
   * Ends a trial by what its load shows of the key.
   *
   * @param waits whether the thread may wait for the verdict
   */
  void end(Trial trial, @Nullable Object value, @Nullable Throwable failure, boolean waits) {
    // The connection of an old view may be the only one, and the source needs another.
    trial.end(
        decisions.type.findings().of(value, UnclearAnswer.shown(failure)),
        waits && !decisions.steps.view().mayBeOld());
  }
}

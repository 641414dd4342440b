package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.BatchLoader;
import io.bloomguard.guard.Failures;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.internal.Entered;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.guard.internal.load.CacheLoads;
import io.bloomguard.guard.internal.load.LoadStages;
import io.bloomguard.guard.internal.load.LoadThreads;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a guard for callers whose thread must not wait, such as that of an event loop.
 *
 * <p>They continue on threads of the guard, in the place and the trials that the caller works in. A
 * transaction is bound to its thread: inside one, everything stays on the calling thread.
 */
record AsyncCalls(GuardedFilter filter, CacheLoads steps, KeyDecisions<?> decisions) {

  /** The threads of a call for which there is no room. */
  private static final Executor NO_ROOM =
      task -> {
        throw LoadThreads.tooManyCalls();
      };

  /** Whether the filter is asked on the calling thread. */
  boolean stays() {
    return filter.store().answersInMemory() || steps.staysOnThread();
  }

  /** Continues with the filter's answers for asked keys, at once if they are there. */
  <T extends @Nullable Object> CompletableFuture<T> answered(
      List<?> asked, Function<Membership[], ? extends CompletionStage<T>> next) {
    if (stays()) {
      return next.apply(decisions.answers(asked, Duration.ZERO)).toCompletableFuture();
    }
    List<String> keys = KeyDecisions.texts(asked);
    boolean counts = steps.threads().tryBegin();
    CompletableFuture<Membership[]> answers = answers(keys, counts);
    boolean there = answers.isDone() && !answers.isCompletedExceptionally();
    if (!there) {
      return counts ? later(answers, keys.size(), next) : shed(keys.size());
    }
    if (counts) {
      steps.threads().end();
    }
    return next.apply(answers.join()).toCompletableFuture();
  }

  /**
   * The filter's answers; UNKNOWN if they need a thread that cannot be started.
   *
   * @param counts whether there is room for one more call: a failure otherwise, if they need a
   *     thread
   */
  private CompletableFuture<Membership[]> answers(List<String> keys, boolean counts) {
    Executor waiting = counts ? steps.threads().waiting() : NO_ROOM;
    CompletableFuture<Membership[]> answers;
    try {
      answers = decisions.answers.checkAsync(keys, waiting);
    } catch (RequestShedException e) {
      answers = CompletableFuture.failedFuture(e);
    }
    return !counts || (answers.isDone() && !answers.isCompletedExceptionally())
        ? answers
        : answers.exceptionally(
            refusal -> {
              Membership[] unknown = new Membership[keys.size()];
              Arrays.fill(unknown, Membership.UNKNOWN);
              return unknown;
            });
  }

  /**
   * Continues with what comes later on a thread of the guard, in what this one works in; for want
   * of a thread the answer is shed. The call counts as under way until then.
   */
  <S, T extends @Nullable Object> CompletableFuture<T> later(
      CompletableFuture<S> awaited, int keys, Function<S, ? extends CompletionStage<T>> next) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    Runnable go =
        steps.carried(
            Entered.carrying(
                () -> {
                  steps.threads().end();
                  if (answer.isDone()) {
                    decisions.record(Outcome.ERROR, keys);
                  } else {
                    pass(LoadStages.begun(() -> next.apply(awaited.join())), answer);
                  }
                }));
    var unused =
        awaited.whenComplete(
            (come, failure) ->
                steps
                    .threads()
                    .execute(
                        go,
                        refusal -> {
                          steps.threads().end();
                          decisions.record(Outcome.SHED, keys);
                          answer.completeExceptionally(refusal);
                        }));
    return answer;
  }

  private static <T extends @Nullable Object> void pass(
      CompletionStage<T> step, CompletableFuture<T> to) {
    CompletableFuture<T> from = step.toCompletableFuture();
    from.whenComplete(
        (value, failure) -> {
          if (failure != null) {
            to.completeExceptionally(Failures.unwrapped(failure));
          } else if (!to.complete(value) && value instanceof Pass<?> late) {
            late.close();
          }
        });
    to.whenComplete((value, failure) -> from.cancel(false));
  }

  /**
   * The result of a batch, which waits for its loader in any case; its caller continues on another
   * thread, for which the batch never waits. A batch within a batch or a transaction is on the
   * calling thread.
   *
   * @param keys the number of its keys, of which each has an outcome
   */
  @SuppressWarnings("NullAway") // a loader's null is the result of T's own nullness
  <T extends @Nullable Object> CompletableFuture<T> batch(
      int keys, ValueLoader<T, Throwable> work) {
    LoadThreads threads = steps.threads();
    if (steps.staysOnThread() || threads.isInBatch()) {
      return LoadStages.made(work);
    }
    if (!threads.tryBegin()) {
      return shed(keys);
    }
    CompletableFuture<T> answer = new CompletableFuture<>();
    ValueLoader<T, Throwable> wanted =
        () -> {
          if (answer.isDone()) {
            decisions.record(Outcome.ERROR, keys);
            throw new CancellationException();
          }
          return work.load();
        };
    try {
      pass(
          LoadStages.after(
              threads.on(threads.batches(), () -> LoadStages.made(wanted)),
              (value, failure) -> threads.end()),
          answer);
    } catch (RequestShedException e) {
      threads.end();
      decisions.record(Outcome.SHED, keys);
      return CompletableFuture.failedFuture(e);
    }
    return answer;
  }

  /**
   * A loader that waits for the stage of another, up to the time limit of a load. An overdue stage
   * is cancelled.
   */
  <K, V> BatchLoader<K, V, Throwable> waiting(
      Function<? super Set<K>, ? extends CompletionStage<Map<K, V>>> loader) {
    return keys -> {
      CompletableFuture<Map<K, V>> values = loader.apply(keys).toCompletableFuture();
      try {
        return values.get(steps.settings().timeout().toNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException | InterruptedException e) {
        values.cancel(true);
        throw e;
      } catch (ExecutionException e) {
        throw Failures.unwrapped(e.getCause() == null ? e : e.getCause());
      }
    };
  }

  /** The answer to an asynchronous call for keys for which there is no room. */
  <T extends @Nullable Object> CompletableFuture<T> shed(int keys) {
    decisions.record(Outcome.SHED, keys);
    return CompletableFuture.failedFuture(LoadThreads.tooManyCalls());
  }
}

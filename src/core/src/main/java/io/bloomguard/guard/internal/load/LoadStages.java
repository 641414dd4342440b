package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.internal.GuardListener.LoadResult;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The begin and the end of loads that end on other threads. */
public final class LoadStages {

  private LoadStages() {}

  /** The stage of a loader that answers on the calling thread. */
  public static <V> CompletableFuture<@Nullable V> made(ValueLoader<V, ?> loader) {
    try {
      return CompletableFuture.completedFuture(loader.load());
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Waits on the calling thread; false if the end has not come, or the thread is interrupted. */
  public static boolean await(CompletableFuture<?> end, long nanos) {
    try {
      end.get(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException | ExecutionException | CancellationException e) {
      return end.isDone();
    }
    return end.isDone();
  }

  /**
   * The result of a stage that has ended.
   *
   * @throws X the failure as the stage ended with it
   */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  public static <T extends @Nullable Object, X extends Throwable> T result(
      CompletableFuture<T> ended) throws X {
    if (!ended.isCompletedExceptionally()) {
      return ended.join();
    }
    throw (X) ended.<@Nullable Throwable>handle((value, thrown) -> thrown).join();
  }

  /** The stage of a step; a failed one if the step throws. */
  public static <T extends @Nullable Object> CompletionStage<T> begun(
      Supplier<? extends CompletionStage<T>> step) {
    try {
      return step.get();
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * A stage for a caller, who may cancel it. A cancelled stage leaves out its functions, so those
   * that give something back must be on another one.
   */
  public static <V> CompletionStage<@Nullable V> forCaller(
      CompletionStage<? extends @Nullable V> stage) {
    return stage.<@Nullable V>thenApply(value -> value);
  }

  /**
   * Continues with the outcome of a step. Unlike those of a stage, failures are passed on as they
   * are, since a loader may fail with a {@code CompletionException} of its own.
   */
  public static <S extends @Nullable Object, T extends @Nullable Object> CompletableFuture<T> then(
      CompletableFuture<S> step, Function<? super S, ? extends CompletionStage<T>> next) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    step.whenComplete(
        (outcome, failure) -> {
          if (failure != null) {
            answer.completeExceptionally(failure);
            return;
          }
          try {
            pass(next.apply(outcome), answer);
          } catch (Throwable e) {
            answer.completeExceptionally(e);
          }
        });
    return answer;
  }

  /**
   * The end of a step as it is, after what comes first.
   *
   * @param first gets the value or the failure of the step
   */
  public static <T extends @Nullable Object> CompletableFuture<T> after(
      CompletionStage<? extends T> step, BiConsumer<? super T, @Nullable Throwable> first) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    step.whenComplete(
        (value, failure) -> {
          first.accept(value, failure);
          end(answer, value, failure);
        });
    return answer;
  }

  /** Passes the end of one stage to another. */
  public static <T extends @Nullable Object> void pass(
      CompletionStage<? extends T> from, CompletableFuture<T> to) {
    var unused = from.whenComplete((value, failure) -> end(to, value, failure));
  }

  /** Ends a stage with a value or a failure. */
  public static <T extends @Nullable Object> void end(
      CompletableFuture<T> stage, @Nullable T value, @Nullable Throwable failure) {
    if (failure == null) {
      stage.complete(value);
    } else {
      stage.completeExceptionally(failure);
    }
  }

  /** The result of a load, for its listener. */
  static LoadResult result(@Nullable Object value, @Nullable Throwable failure) {
    if (failure != null) {
      return LoadResult.ERROR;
    }
    return value != null ? LoadResult.FOUND : LoadResult.ABSENT;
  }
}

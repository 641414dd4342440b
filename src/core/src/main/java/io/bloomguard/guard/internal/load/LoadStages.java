package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.Scope;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.internal.GuardListener.LoadResult;
import io.bloomguard.guard.internal.Place;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The begin and the end of loads that end on other threads. */
public final class LoadStages {

  private LoadStages() {}

  /**
   * Calls a loader. A loader that throws, or returns null in place of a stage, is a failed load: a
   * caller that holds a place in the bulkhead gives it back when the stage ends.
   *
   * @param place the place that the load works in; null for the calling thread's
   */
  public static <V> CompletionStage<? extends @Nullable V> begin(
      Supplier<? extends CompletionStage<? extends @Nullable V>> loader, @Nullable Place place) {
    try (Scope scope = Place.enter(place)) {
      return Objects.requireNonNull(loader.get(), "The loader has returned null, not a stage");
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** The stage of a loader that answers on the calling thread. */
  static <V> CompletionStage<@Nullable V> made(ValueLoader<V, ?> loader) {
    try {
      return CompletableFuture.completedFuture(loader.load());
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

  /** The result of a load, for its listener. */
  public static LoadResult result(@Nullable Object value, @Nullable Throwable failure) {
    if (failure != null) {
      return LoadResult.ERROR;
    }
    return value != null ? LoadResult.FOUND : LoadResult.ABSENT;
  }
}

package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.Scope;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.internal.Held;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Begins the load of a key, or of a batch, which may end on another thread. */
@FunctionalInterface
public interface AsyncLoader<V> {

  /** {@return the load; null if there is none} */
  CompletionStage<? extends @Nullable V> load() throws Throwable;

  /** A loader that answers on the calling thread. */
  static <V> AsyncLoader<V> of(ValueLoader<V, ?> loader) {
    return () -> CompletableFuture.completedFuture(loader.load());
  }

  /**
   * Calls the loader. One that throws, or returns null in place of a stage, is a failed load: a
   * caller that holds a place in the bulkhead gives it back when the stage ends.
   *
   * @param held what the loader works in, null for nothing
   */
  default CompletionStage<? extends @Nullable V> within(@Nullable Held held) {
    try (Scope scope = held == null ? Scope.NONE : held.enter()) {
      return Objects.requireNonNull(load(), "The loader has returned null, not a stage");
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}

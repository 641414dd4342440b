package io.bloomguard.guard.internal.writes;

import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.internal.KeyWrites.AsyncCall;
import io.bloomguard.guard.internal.load.LoadThreads;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A call that writes, whose steps wait on threads of the guard. */
record WaitingCall(LoadThreads threads) implements AsyncCall {

  @Override
  public CompletableFuture<@Nullable Void> run(Supplier<CompletableFuture<?>> step) {
    try {
      return threads.on(threads.waiting(), () -> step.get().thenApply(ended -> null));
    } catch (RequestShedException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public CompletableFuture<@Nullable Void> end(Runnable step) {
    Runnable last =
        () -> {
          try {
            step.run();
          } finally {
            threads.end();
          }
        };
    try {
      return threads.on(threads.waiting(), () -> HERE.end(last));
    } catch (RequestShedException e) {
      return HERE.end(last);
    }
  }
}

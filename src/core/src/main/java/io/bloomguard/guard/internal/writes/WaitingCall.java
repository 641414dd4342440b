package io.bloomguard.guard.internal.writes;

import io.bloomguard.guard.Failures;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.internal.Entered;
import io.bloomguard.guard.internal.KeyWrites.AsyncCall;
import io.bloomguard.guard.internal.load.LoadStages;
import io.bloomguard.guard.internal.load.LoadThreads;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A call that writes, whose steps wait on threads of the guard. */
record WaitingCall(LoadThreads threads) implements AsyncCall {

  @Override
  public CompletableFuture<@Nullable Void> run(Supplier<CompletableFuture<?>> step) {
    try {
      return continued(
          CompletableFuture.supplyAsync(step, threads.waiting()).thenCompose(last -> last));
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
      return continued(CompletableFuture.runAsync(last, threads.waiting()));
    } catch (RequestShedException e) {
      return HERE.end(last);
    }
  }

  /** The end of a step, on another thread in the place and the trials of this one. */
  private CompletableFuture<@Nullable Void> continued(CompletableFuture<?> step) {
    CompletableFuture<@Nullable Void> answer = new CompletableFuture<>();
    Entered here = Entered.here();
    var unused =
        step.whenCompleteAsync(
            (nothing, failure) -> {
              try (Scope scope = here == null ? Scope.NONE : here.get()) {
                LoadStages.end(answer, null, failure == null ? null : Failures.unwrapped(failure));
              }
            },
            next -> threads.execute(next, refusal -> next.run()));
    return answer;
  }
}

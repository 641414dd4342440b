package io.bloomguard.aop.internal.call;

import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * One call of a guarded method that keeps values, for which the guard runs the method.
 *
 * @param value may still be loaded
 */
record LoadedRun(CompletableFuture<@Nullable Object> value, MethodGuard method) implements Around {

  @Override
  public CompletableFuture<?> begun() {
    return value;
  }

  @Override
  public boolean isRunAlone() {
    return value.isDone() && !value.isCompletedExceptionally();
  }

  @Override
  public @Nullable Object run(MethodInvocation call) {
    return method.carrier().of(() -> method.returns().of(value.join()));
  }

  @Override
  public CompletableFuture<?> end(@Nullable Throwable failure) {
    value.cancel(false); // a subscriber that has gone waits no longer
    return DONE;
  }
}

package io.bloomguard.aop.internal.call;

import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * One call of a guarded method that keeps values, for which the guard runs the method.
 *
 * @param value may still be loaded
 */
record LoadedRun(CompletableFuture<?> value, MethodGuard method) implements Around {

  @Override
  public CompletableFuture<?> begun() {
    return value;
  }

  @Override
  public @Nullable Object run(MethodInvocation call) {
    return method.carrier().of(() -> method.answer(value.join()));
  }
}

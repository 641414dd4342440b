package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Scope;
import io.bloomguard.guard.internal.Pass;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * One run of a guarded method that only decides.
 *
 * @param pass may still wait for its place
 * @param rejected makes the answer if no key goes on
 */
record DecidedRun(
    CompletableFuture<? extends Pass<?>> pass,
    MethodGuard method,
    Supplier<? extends @Nullable Object> rejected,
    Continuation continuation)
    implements Around {

  /** Continues with the keys that go on, at least one. */
  @FunctionalInterface
  interface Continuation {

    @Nullable Object proceed(MethodInvocation call, Pass<?> pass) throws Throwable;
  }

  @Override
  public CompletableFuture<?> begun() {
    return pass;
  }

  /** As for a rejected key: nothing is held meanwhile. */
  @Override
  public boolean isRunAlone() {
    return Around.super.isRunAlone() && !pass.join().isHeld();
  }

  @Override
  public Scope enter() {
    return pass.join().enter();
  }

  @Override
  public @Nullable Object run(MethodInvocation call) throws Throwable {
    Pass<?> come = pass.join();
    return come.isEmpty() ? method.carrier().of(rejected) : continuation.proceed(call, come);
  }

  @Override
  public CompletableFuture<?> end(@Nullable Throwable failure) {
    if (!pass.cancel(false)) {
      var unused =
          pass.thenAccept(
              come -> {
                if (failure != null) {
                  method.judge(come, null, failure);
                }
                come.close();
              });
    }
    return DONE;
  }
}

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
    Carrier carrier,
    ReturnAdapter returns,
    Supplier<? extends @Nullable Object> rejected,
    Carrier.Continuation continuation)
    implements Around {

  @Override
  public CompletableFuture<?> begun() {
    return pass;
  }

  /** As for a rejected key: nothing is held meanwhile. */
  @Override
  public boolean isRunAlone() {
    return pass.isDone() && !pass.isCompletedExceptionally() && !pass.join().isHeld();
  }

  @Override
  public Scope enter() {
    return pass.join().enter();
  }

  @Override
  public @Nullable Object run(MethodInvocation call) throws Throwable {
    Pass<?> come = pass.join();
    return come.isEmpty() ? carrier.of(rejected) : continuation.proceed(call, come);
  }

  /** A caller that has stopped waiting needs no place. */
  @Override
  public void left() {
    pass.cancel(false);
  }

  @Override
  public CompletableFuture<?> end(@Nullable Throwable failure) {
    if (!pass.cancel(false)) {
      var unused =
          pass.thenAccept(
              come -> {
                if (failure != null) {
                  returns.judge(come, null, failure);
                }
                come.close();
              });
    }
    return DONE;
  }
}

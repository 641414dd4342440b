package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryGuard.Admission;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** A carrier whose value comes after the method has returned: its calls wait on no thread. */
abstract class AsyncCarrier implements Carrier {

  /** Asks the guard for the keys of a call. */
  @FunctionalInterface
  interface Entering {

    CompletableFuture<? extends Admission<?>> enter(
        EntryGuard<Object> guard, MethodInvocation call, CallTrial trial);
  }

  @Override
  public final Call single(MethodGuard method, CompiledKey key, boolean caching) {
    return caching
        ? invocation -> loaded(method, key, invocation)
        : entering(method, key, (call, admitted, trial) -> answered(call, method.returns(), trial));
  }

  @Override
  public final Call underBlacklist(MethodGuard method, CompiledKey key) {
    return entering(method, key, (call, admitted, trial) -> Carrier.proceed(call));
  }

  private Call entering(MethodGuard method, CompiledKey key, Continuation continuation) {
    Entering enter = (guard, call, trial) -> guard.enterAsync(key.of(guard, call), trial);
    return invocation -> entered(method, enter, invocation, continuation);
  }

  @Override
  public final @Nullable Object several(
      MethodGuard method,
      Collection<?> keys,
      MethodInvocation invocation,
      Continuation continuation)
      throws Throwable {
    return entered(
        method, (guard, call, trial) -> guard.enterAsync(keys), invocation, continuation);
  }

  /** The answer of a call that only decides; its admission is open until the answer has ended. */
  abstract @Nullable Object entered(
      MethodGuard method, Entering enter, MethodInvocation invocation, Continuation continuation)
      throws Throwable;

  /** The answer of a call that keeps values. */
  abstract Object loaded(MethodGuard method, CompiledKey key, MethodInvocation invocation);

  /** The method's own answer, which ends the trial if there is one. */
  abstract Object answered(MethodInvocation call, ReturnAdapter returns, CallTrial trial);
}

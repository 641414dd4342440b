package io.bloomguard.aop;

import io.bloomguard.guard.EntryGuard;
import io.bloomguard.guard.EntryGuard.Admission;
import io.bloomguard.guard.Transactions;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** A carrier whose value comes after the method has returned: its calls wait on no thread. */
abstract class AsyncCarrier implements Carrier {

  /** Asks the guard for the keys of a call. */
  @FunctionalInterface
  interface Entering {

    CompletableFuture<? extends Admission<?>> enter(MethodInvocation call, CallTrial trial);
  }

  @Override
  public final Call single(
      EntryGuard<Object> guard,
      CompiledKey key,
      ReturnAdapter returns,
      boolean caching,
      Transactions transactions) {
    return caching
        ? invocation -> loaded(guard, key, returns, transactions, invocation)
        : entering(
            guard,
            key,
            returns,
            transactions,
            (call, admitted, trial) -> answered(call, returns, trial));
  }

  @Override
  public final Call underBlacklist(
      EntryGuard<Object> guard, CompiledKey key, ReturnAdapter returns, Transactions transactions) {
    return entering(guard, key, returns, transactions, (call, admitted, trial) -> call.proceed());
  }

  private Call entering(
      EntryGuard<Object> guard,
      CompiledKey key,
      ReturnAdapter returns,
      Transactions transactions,
      Continuation continuation) {
    Entering enter = (call, trial) -> guard.enterAsync(key.of(guard, call), trial);
    return invocation -> entered(enter, returns, transactions, invocation, continuation);
  }

  @Override
  public final @Nullable Object several(
      EntryGuard<Object> guard,
      Collection<?> keys,
      ReturnAdapter returns,
      Transactions transactions,
      MethodInvocation invocation,
      Continuation continuation)
      throws Throwable {
    return entered(
        (call, trial) -> guard.enterAsync(keys), returns, transactions, invocation, continuation);
  }

  /** The answer of a call that only decides; its admission is open until the answer has ended. */
  abstract @Nullable Object entered(
      Entering enter,
      ReturnAdapter returns,
      Transactions transactions,
      MethodInvocation invocation,
      Continuation continuation)
      throws Throwable;

  /** The answer of a call that keeps values. */
  abstract Object loaded(
      EntryGuard<Object> guard,
      CompiledKey key,
      ReturnAdapter returns,
      Transactions transactions,
      MethodInvocation invocation);

  /** The method's own answer, which ends the trial if there is one. */
  abstract Object answered(MethodInvocation call, ReturnAdapter returns, CallTrial trial);
}

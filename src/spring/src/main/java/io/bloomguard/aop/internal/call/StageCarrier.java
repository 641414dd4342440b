package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Failures;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.internal.EntryGuard.Admission;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The carrier of a method that returns a {@link CompletionStage} of its value. */
final class StageCarrier extends AsyncCarrier {

  static final Carrier STAGE = new StageCarrier();

  private StageCarrier() {}

  @Override
  Object loaded(MethodGuard method, CompiledKey key, MethodInvocation invocation) {
    Object id = key.of(method.guard(), invocation);
    ReturnAdapter returns = method.returns();
    return returns.stage(method.guard().getAsync(id, () -> load(invocation, returns)));
  }

  @Override
  Object answered(MethodInvocation call, ReturnAdapter returns, CallTrial trial) {
    try {
      return returns.stage(load(call, returns).whenComplete(trial::ended));
    } catch (Throwable e) {
      trial.ended(null, e);
      throw e;
    }
  }

  private static CompletionStage<@Nullable Object> load(
      MethodInvocation invocation, ReturnAdapter returns) {
    Runs runs = Runs.of(invocation);
    CompletionStage<?> returned =
        (CompletionStage<?>) ReturnAdapter.calling(() -> Carrier.proceed(invocation));
    return returned == null
        ? CompletableFuture.completedFuture(runs.content(null, null))
        : returned.thenApply(value -> runs.content(value, returns.shape().unwrap(value)));
  }

  @Override
  @Nullable Object entered(
      MethodGuard method, Entering enter, MethodInvocation invocation, Continuation continuation)
      throws Throwable {
    ReturnAdapter returns = method.returns();
    CallTrial trial = returns.trial();
    CompletableFuture<? extends Admission<?>> entering =
        enter.enter(method.guard(), invocation, trial);
    if (entering.isDone()) {
      try {
        return proceed(entering.join(), returns, invocation, continuation, trial);
      } catch (CompletionException e) {
        throw Failures.unwrapped(e);
      }
    }
    CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
    var unused =
        entering.whenComplete(
            (admission, refusal) -> {
              if (refusal != null) {
                answer.completeExceptionally(refusal);
                return;
              }
              try {
                ReturnAdapter.pass(
                    proceed(admission, returns, invocation, continuation, trial), answer);
              } catch (Throwable e) {
                answer.completeExceptionally(e);
              }
            });
    // A caller that has stopped waiting needs no place.
    var unusedToo = answer.whenComplete((value, failure) -> entering.cancel(false));
    return answer;
  }

  private static @Nullable Object proceed(
      Admission<?> admission,
      ReturnAdapter returns,
      MethodInvocation invocation,
      Continuation continuation,
      CallTrial trial)
      throws Throwable {
    CompletionStage<?> pending = null;
    try (Scope scope = admission.enter()) {
      if (admission.keys().isEmpty()) {
        return rejected(returns);
      }
      Object returned = continuation.proceed(invocation, admission.keys(), trial);
      pending = (CompletionStage<?>) returned;
      return returned;
    } finally {
      if (pending == null) {
        admission.close();
      } else {
        var unused = pending.whenComplete((value, failure) -> admission.close());
      }
    }
  }

  private static CompletableFuture<@Nullable Object> rejected(ReturnAdapter returns) {
    try {
      return CompletableFuture.completedFuture(returns.rejected());
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public @Nullable Object changed(
      @Nullable Object returned, UnaryOperator<@Nullable Object> change) {
    return returned == null
        ? null
        : ((CompletionStage<?>) returned).<@Nullable Object>thenApply(change);
  }

  @Override
  public Object written(
      Transactions transactions,
      Function<@Nullable Object, AsyncWrite> begin,
      ValueLoader<? extends @Nullable Object, Throwable> method) {
    return begin.apply(null).around(method);
  }

  @Override
  public String toString() {
    return "CompletionStage";
  }
}

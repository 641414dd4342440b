package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryGuard.Admission;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** A carrier whose value comes after the method has returned: its calls wait on no thread. */
abstract sealed class AsyncCarrier implements Carrier permits StageCarrier, PublisherCarrier {

  /** Asks the guard for the keys of a call. */
  @FunctionalInterface
  private interface Entering {

    CompletableFuture<? extends Admission<?>> enter(EntryGuard<Object> guard, CallTrial trial);
  }

  @Override
  public final Call single(MethodGuard method, CompiledKey key, boolean caching) {
    return caching
        ? invocation ->
            loaded(
                method,
                context -> {
                  EntryGuard<Object> guard = method.guard(context);
                  return guard.getAsync(
                      key.of(guard, invocation), () -> load(invocation, method.returns(), context));
                })
        : entering(method, key, (call, admitted, trial) -> answered(call, method.returns(), trial));
  }

  @Override
  public final Call underBlacklist(MethodGuard method, CompiledKey key) {
    return entering(method, key, (call, admitted, trial) -> Carrier.proceed(call));
  }

  private Call entering(MethodGuard method, CompiledKey key, Continuation continuation) {
    return invocation ->
        entered(
            method,
            (guard, trial) -> guard.enterAsync(key.of(guard, invocation), trial),
            invocation,
            continuation);
  }

  @Override
  public final @Nullable Object several(
      MethodGuard method,
      Collection<?> keys,
      MethodInvocation invocation,
      Continuation continuation)
      throws Throwable {
    return entered(method, (guard, trial) -> guard.enterAsync(keys), invocation, continuation);
  }

  /** The answer of a call that only decides; its admission is open until the answer has ended. */
  private @Nullable Object entered(
      MethodGuard method, Entering enter, MethodInvocation invocation, Continuation continuation)
      throws Throwable {
    return around(
        method.transactions(),
        context -> {
          CallTrial trial = method.returns().trial();
          var admission = enter.enter(method.guard(context), trial);
          if (admission.isCompletedExceptionally()) {
            DirectCarrier.await(admission); // a caller learns at once of what is known at once
          }
          return new Entered(admission, method.returns(), continuation, trial);
        },
        invocation);
  }

  /** A call with an admission that may still wait for its place. */
  private final class Entered implements Around {

    private final CompletableFuture<? extends Admission<?>> admission;
    private final ReturnAdapter returns;
    private final Continuation continuation;
    private final CallTrial trial;

    Entered(
        CompletableFuture<? extends Admission<?>> admission,
        ReturnAdapter returns,
        Continuation continuation,
        CallTrial trial) {
      this.admission = admission;
      this.returns = returns;
      this.continuation = continuation;
      this.trial = trial;
    }

    @Override
    public CompletableFuture<?> begun() {
      return admission;
    }

    @Override
    public Scope enter() {
      return admission.join().enter();
    }

    @Override
    public @Nullable Object run(MethodInvocation call) throws Throwable {
      Admission<?> admitted = admission.join();
      return admitted.keys().isEmpty()
          ? of(returns::rejected)
          : continuation.proceed(call, admitted.keys(), trial);
    }

    /** A caller that has stopped waiting needs no place. */
    @Override
    public void left() {
      admission.cancel(false);
    }

    @Override
    public CompletableFuture<?> end(End end) {
      if (!admission.cancel(false)) {
        var unused = admission.thenAccept(Admission::close);
      }
      return DONE;
    }
  }

  /**
   * The answer of a call that keeps values.
   *
   * @param values asks for the value, for a publisher at each subscription, whose context it gets;
   *     others get null
   */
  abstract Object loaded(
      MethodGuard method, Function<@Nullable Object, CompletionStage<@Nullable Object>> values);

  /** The value of the method itself. */
  abstract CompletionStage<@Nullable Object> load(
      MethodInvocation invocation, ReturnAdapter returns, @Nullable Object context);

  /** The method's own answer, which ends the trial if there is one. */
  abstract Object answered(MethodInvocation call, ReturnAdapter returns, CallTrial trial);

  /** The answer with a content that is there. */
  abstract Object of(Supplier<? extends @Nullable Object> content);
}

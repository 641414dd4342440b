package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.Pass;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** A carrier whose value comes after the method has returned: its calls wait on no thread. */
abstract sealed class AsyncCarrier implements Carrier permits StageCarrier, PublisherCarrier {

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
        : entering(method, key, (call, pass) -> judged(call, method.returns(), pass));
  }

  @Override
  public final Call underBlacklist(MethodGuard method, CompiledKey key) {
    return entering(method, key, (call, pass) -> Carrier.proceed(call));
  }

  private Call entering(MethodGuard method, CompiledKey key, Continuation continuation) {
    return invocation ->
        entered(
            method,
            guard -> Ask.toLoad(key.of(guard, invocation)).tried(),
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
    return entered(method, guard -> Ask.toLoadAll(keys), invocation, continuation);
  }

  /** The answer of a call that only decides; its pass is open until the answer has ended. */
  private @Nullable Object entered(
      MethodGuard method,
      Function<EntryGuard<Object>, Ask<?>> ask,
      MethodInvocation invocation,
      Continuation continuation)
      throws Throwable {
    return around(
        method.transactions(),
        context -> {
          EntryGuard<Object> guard = method.guard(context);
          CompletableFuture<? extends Pass<?>> pass = guard.askLater(ask.apply(guard));
          if (pass.isCompletedExceptionally()) {
            DirectCarrier.await(pass); // a caller learns at once of what is known at once
          }
          return new Entered(pass, this, method.returns(), continuation);
        },
        invocation);
  }

  /** A call whose pass may still wait for its place. */
  private record Entered(
      CompletableFuture<? extends Pass<?>> pass,
      AsyncCarrier carrier,
      ReturnAdapter returns,
      Continuation continuation)
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
      return come.isEmpty() ? carrier.of(returns::rejected) : continuation.proceed(call, come);
    }

    /** A caller that has stopped waiting needs no place. */
    @Override
    public void left() {
      pass.cancel(false);
    }

    @Override
    public CompletableFuture<?> end(End end) {
      if (!pass.cancel(false)) {
        var unused = pass.thenAccept(Pass::close);
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

  private Object judged(MethodInvocation call, ReturnAdapter returns, Pass<?> pass) {
    try {
      return answered(call, returns, pass);
    } catch (Throwable e) {
      returns.judge(pass, null, e);
      throw e;
    }
  }

  /** The method's own answer, which ends the trial if there is one. */
  abstract Object answered(MethodInvocation call, ReturnAdapter returns, Pass<?> pass);

  /** The answer with a content that is there. */
  abstract Object of(Supplier<? extends @Nullable Object> content);
}

package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.Pass;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** A carrier whose value comes after the method has returned: its calls wait on no thread. */
abstract sealed class AsyncCarrier extends Carrier permits StageCarrier, PublisherCarrier {

  @Override
  public final Call single(MethodGuard method, CompiledKey key, boolean caching) {
    ReturnAdapter returns = method.returns();
    return caching
        ? invocation ->
            loaded(
                method,
                context -> {
                  EntryGuard<Object> guard = method.guard(context);
                  return guard.getAsync(
                      key.of(guard, invocation), () -> load(invocation, returns.shape(), context));
                })
        : deciding(method, key, (call, pass) -> answered(call, returns, pass));
  }

  @Override
  public final Call underBlacklist(MethodGuard method, CompiledKey key) {
    return deciding(method, key, (call, pass) -> Carrier.proceed(call));
  }

  private Call deciding(MethodGuard method, CompiledKey key, Continuation continuation) {
    return invocation ->
        deciding(
            method,
            guard -> Ask.toLoad(key.of(guard, invocation)).tried(),
            method.returns()::rejected,
            invocation,
            continuation);
  }

  @Override
  final CompletableFuture<? extends Pass<?>> ask(EntryGuard<Object> guard, Ask<?> ask) {
    return guard.askLater(ask);
  }

  /** The method's own answer, which ends the trial if there is one. */
  @Nullable Object answered(MethodInvocation call, ReturnAdapter returns, Pass<?> pass) {
    Runs runs = new Runs(call);
    return changed(
        told(call, runs),
        value -> {
          Object content = runs.content(value, returns.shape().unwrap(value));
          returns.judge(pass, content, null);
          return returns.of(content);
        });
  }

  /** The answer of the method itself, which tells of its runs; never null. */
  abstract Object told(MethodInvocation call, Runs runs);

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
      MethodInvocation invocation, ReturnShape shape, @Nullable Object context);
}

package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.UnclearAnswer;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The calls of guarded methods with one key. */
public final class SingleKeyCalls {

  private SingleKeyCalls() {}

  /**
   * Calls that load the value of their key.
   *
   * @param keeps whether the guard keeps something of it, so that callers share the load
   */
  public static MethodInterceptor loading(MethodGuard method, CompiledKey key, boolean keeps) {
    Carrier carrier = method.carrier();
    if (carrier == DirectCarrier.DIRECT) {
      EntryGuard<Object> guard = method.guard();
      return call -> {
        ValueLoader<Object, Throwable> load = () -> load(call, method.shape());
        Object id = key.of(guard, call);
        try {
          return method.answer(keeps ? guard.get(id, load) : guard.call(id, load));
        } catch (UnclearAnswer.Failure e) {
          throw UnclearAnswer.content(e);
        }
      };
    }
    return keeps
        ? call ->
            carrier.around(
                method.transactions(),
                context -> {
                  EntryGuard<Object> guard = method.guard(context);
                  Object id = key.of(guard, call);
                  return new LoadedRun(
                      guard
                          .getAsync(id, () -> load(call, method.shape(), context))
                          .toCompletableFuture(),
                      method);
                },
                call)
        : deciding(method, key, (call, pass) -> carrier.answered(call, method, pass));
  }

  private static @Nullable Object load(MethodInvocation call, ReturnShape shape) throws Throwable {
    Runs runs = new Runs(call);
    Object returned = shape.carrier().told(call, runs);
    return runs.content(returned, shape.unwrap(returned));
  }

  private static CompletionStage<@Nullable Object> load(
      MethodInvocation call, ReturnShape shape, @Nullable Object context) {
    Runs runs = new Runs(call);
    Carrier carrier = shape.carrier();
    return carrier
        .value(Carrier.unchecked(() -> carrier.told(Carrier.again(call), runs)), context)
        .thenApply(value -> runs.content(value, shape.unwrap(value)));
  }

  /** Calls under a blacklist, which pass the method's answer on unchanged. */
  public static MethodInterceptor underBlacklist(MethodGuard method, CompiledKey key) {
    EntryGuard<Object> guard = method.guard();
    return method.carrier() == DirectCarrier.DIRECT
        ? call -> guard.admit(key.of(guard, call)) ? call.proceed() : method.rejected()
        : deciding(method, key, (call, pass) -> Carrier.proceed(call));
  }

  private static MethodInterceptor deciding(
      MethodGuard method, CompiledKey key, DecidedRun.Continuation continuation) {
    return call ->
        method.deciding(
            guard -> Ask.toLoad(key.of(guard, call)).tried(), method::rejected, call, continuation);
  }
}

package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryGuard.Admission;
import java.util.Collection;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The carrier of a method that returns its value. */
public final class DirectCarrier implements Carrier {

  public static final Carrier DIRECT = new DirectCarrier();

  private DirectCarrier() {}

  @Override
  public Call single(MethodGuard method, CompiledKey key, boolean caching) {
    EntryGuard<Object> guard = method.guard();
    ReturnAdapter returns = method.returns();
    return invocation -> {
      ValueLoader<Object, Throwable> load = () -> load(invocation, returns.shape());
      Object id = key.of(guard, invocation);
      return returns.of(caching ? guard.get(id, load) : guard.call(id, load));
    };
  }

  private static @Nullable Object load(MethodInvocation invocation, ReturnShape shape)
      throws Throwable {
    Runs runs = Runs.of(invocation);
    Object returned = invocation.proceed();
    return runs.content(returned, shape.unwrap(returned));
  }

  @Override
  public Call underBlacklist(MethodGuard method, CompiledKey key) {
    EntryGuard<Object> guard = method.guard();
    return invocation ->
        guard.admit(key.of(guard, invocation)) ? invocation.proceed() : method.returns().rejected();
  }

  @Override
  public @Nullable Object several(
      MethodGuard method,
      Collection<?> keys,
      MethodInvocation invocation,
      Continuation continuation)
      throws Throwable {
    try (Admission<?> admission = method.guard().enter(keys);
        Scope scope = admission.enter()) {
      return admission.keys().isEmpty()
          ? method.returns().rejected()
          : continuation.proceed(invocation, admission.keys(), CallTrial.NONE);
    }
  }

  @Override
  public @Nullable Object changed(
      @Nullable Object returned, UnaryOperator<@Nullable Object> change) {
    return change.apply(returned);
  }

  @Override
  public Object written(
      Transactions transactions,
      Function<@Nullable Object, AsyncWrite> begin,
      ValueLoader<? extends @Nullable Object, Throwable> method) {
    throw new UnsupportedOperationException("A value is there when its method returns");
  }

  @Override
  public String toString() {
    return "value";
  }
}

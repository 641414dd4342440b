package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Failures;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.Pass;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
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
    try (Pass<?> pass = method.guard().ask(Ask.toLoadAll(keys));
        Scope scope = pass.enter()) {
      return pass.isEmpty() ? method.returns().rejected() : continuation.proceed(invocation, pass);
    }
  }

  @Override
  public @Nullable Object changed(
      @Nullable Object returned, UnaryOperator<@Nullable Object> change) {
    return change.apply(returned);
  }

  @Override
  public @Nullable Object around(
      Transactions transactions,
      Function<@Nullable Object, ? extends Around> begin,
      MethodInvocation call)
      throws Throwable {
    Around around = begin.apply(null);
    Object returned;
    try {
      await(around.begun());
      returned = around.run(call);
      if (returned instanceof CompletionStage<?> stage) {
        return StageCarrier.until(around, stage);
      }
      requireEnded(returned);
      await(around.passed(returned));
    } catch (Throwable e) {
      try {
        await(around.end(SeenEnd.of(e)));
      } catch (RuntimeException trouble) {
        e.addSuppressed(trouble);
      }
      throw e;
    }
    await(around.end(End.COMMITTED));
    return returned;
  }

  /** Waits for a step, whose failure is thrown unwrapped. */
  static void await(CompletableFuture<?> step) {
    ReturnAdapter.calling(
        () -> {
          try {
            return step.join();
          } catch (CompletionException e) {
            throw Failures.unwrapped(e);
          }
        });
  }

  /**
   * Refuses the result of a method whose write has not been made.
   *
   * @throws IllegalStateException for a deferred value that its declared type did not show
   */
  private static void requireEnded(@Nullable Object returned) {
    if (returned != null && Deferred.is(returned.getClass())) {
      throw new IllegalStateException(
          "A writing method returned a "
              + returned.getClass().getTypeName()
              + ", which its declared return type does not show. Declare that type: the guard then"
              + " follows the write to its end, or refuses it at the start");
    }
  }

  @Override
  public String toString() {
    return "value";
  }
}

package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Failures;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.UnclearAnswer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The carrier of a method that returns its value. */
public final class DirectCarrier extends Carrier {

  public static final Carrier DIRECT = new DirectCarrier();

  private DirectCarrier() {}

  @Override
  @Nullable Object of(Supplier<? extends @Nullable Object> content) {
    return content.get();
  }

  @Override
  @Nullable Object changed(@Nullable Object returned, UnaryOperator<@Nullable Object> change) {
    return change.apply(returned);
  }

  @Override
  @Nullable Object told(MethodInvocation call, Runs runs) throws Throwable {
    return runs.of(call::proceed);
  }

  @Override
  CompletionStage<? extends @Nullable Object> value(
      @Nullable Object told, @Nullable Object context) {
    return CompletableFuture.completedFuture(told);
  }

  @Override
  @Nullable Object around(
      Transactions transactions,
      Function<@Nullable Object, ? extends Around> begin,
      MethodInvocation call)
      throws Throwable {
    Around around = begin.apply(null);
    Object returned;
    try {
      await(around.begun());
      try (Scope scope = around.enter()) {
        returned = around.run(call);
      }
      if (returned instanceof CompletionStage<?> stage && around.outlives()) {
        return StageCarrier.until(around, stage);
      }
      await(around.passed(returned));
    } catch (Throwable e) {
      Throwable thrown = UnclearAnswer.content(e);
      try {
        await(around.end(e));
      } catch (RuntimeException trouble) {
        thrown.addSuppressed(trouble);
      }
      throw thrown;
    }
    await(around.end(null));
    return returned;
  }

  /** Waits for a step, whose failure is thrown unwrapped. */
  static void await(CompletableFuture<?> step) {
    unchecked(
        () -> {
          try {
            return step.join();
          } catch (CompletionException e) {
            throw Failures.unwrapped(e);
          }
        });
  }

  @Override
  public String toString() {
    return "value";
  }
}

package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Failures;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Transactions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The carrier of a method that returns a {@link CompletionStage} of its value. */
final class StageCarrier extends AsyncCarrier {

  static final Carrier STAGE = new StageCarrier();

  private StageCarrier() {}

  @Override
  Object loaded(
      MethodGuard method, Function<@Nullable Object, CompletionStage<@Nullable Object>> values) {
    CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
    var unused =
        values
            .apply(null)
            .<@Nullable Object>thenApply(method.returns()::of)
            .whenComplete((value, failure) -> end(answer, value, failure));
    return answer;
  }

  @Override
  CompletionStage<@Nullable Object> told(MethodInvocation call, Runs runs) {
    runs.asked();
    Object returned = ReturnAdapter.calling(() -> Carrier.proceed(call));
    return returned == null
        ? CompletableFuture.completedFuture(null)
        : ((CompletionStage<?>) returned).thenApply(value -> value);
  }

  @Override
  CompletionStage<@Nullable Object> load(
      MethodInvocation invocation, ReturnShape shape, @Nullable Object context) {
    Runs runs = new Runs(invocation);
    return told(invocation, runs).thenApply(value -> runs.content(value, shape.unwrap(value)));
  }

  @Override
  Object of(Supplier<? extends @Nullable Object> content) {
    return CompletableFuture.completedFuture(content.get());
  }

  @Override
  @Nullable Object changed(@Nullable Object returned, UnaryOperator<@Nullable Object> change) {
    return returned == null
        ? null
        : ((CompletionStage<?>) returned).<@Nullable Object>thenApply(change);
  }

  /** A caller that has cancelled the answer by the begin needs no call. */
  @Override
  Object around(
      Transactions transactions,
      Function<@Nullable Object, ? extends Around> begin,
      MethodInvocation call) {
    Around around = begin.apply(null);
    CompletableFuture<@Nullable Object> run = new CompletableFuture<>();
    if (around.isRunAlone()) {
      run(around, call, run);
      return run;
    }
    around.outlives();
    CompletableFuture<@Nullable Object> answer = until(around, run);
    var unused =
        around
            .begun()
            .whenComplete(
                (nothing, refusal) -> {
                  if (refusal != null) {
                    run.completeExceptionally(refusal);
                  } else if (answer.isDone()) {
                    run.cancel(false);
                  } else {
                    run(around, call, run);
                  }
                });
    var unusedToo = answer.whenComplete((value, failure) -> around.left());
    return answer;
  }

  private static void run(
      Around around, MethodInvocation call, CompletableFuture<@Nullable Object> run) {
    try (Scope scope = around.enter()) {
      CompletionStage<?> returned = (CompletionStage<?>) around.run(call);
      if (returned == null) {
        run.complete(null);
      } else {
        var unused = returned.whenComplete((value, failure) -> end(run, value, failure));
      }
    } catch (Throwable e) {
      run.completeExceptionally(e);
    }
  }

  /**
   * The answer that ends as a run does, and after the work around it. It is of the caller's own:
   * one that is cancelled would leave out the step before it.
   */
  static CompletableFuture<@Nullable Object> until(Around around, CompletionStage<?> run) {
    CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
    run.thenCompose(value -> around.passed(value).thenApply(nothing -> value))
        .whenComplete(
            (value, failure) ->
                around
                    .end(failure)
                    .whenComplete(
                        (nothing, trouble) ->
                            end(answer, value, failure == null ? trouble : failure)));
    return answer;
  }

  private static void end(
      CompletableFuture<@Nullable Object> stage,
      @Nullable Object value,
      @Nullable Throwable failure) {
    if (failure == null) {
      stage.complete(value);
    } else {
      stage.completeExceptionally(Failures.unwrapped(failure));
    }
  }

  @Override
  public String toString() {
    return "CompletionStage";
  }
}

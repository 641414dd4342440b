package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Failures;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.UnclearAnswer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The carrier of a method that returns a {@link CompletionStage} of its value. */
final class StageCarrier extends Carrier {

  static final Carrier STAGE = new StageCarrier();

  private StageCarrier() {}

  @Override
  CompletionStage<@Nullable Object> told(MethodInvocation call, Runs runs) throws Throwable {
    Object returned = runs.of(() -> Carrier.proceed(call));
    return returned == null
        ? CompletableFuture.completedFuture(null)
        : ((CompletionStage<?>) returned)
            .<@Nullable Object>handle(
                (value, failure) ->
                    failure == null
                        ? value
                        : Carrier.unchecked(
                            () -> {
                              throw runs.failure(failure);
                            }));
  }

  @Override
  CompletionStage<? extends @Nullable Object> value(
      @Nullable Object told, @Nullable Object context) {
    return Objects.requireNonNull((CompletionStage<?>) told);
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

  @Override
  Object around(
      Transactions transactions,
      Function<@Nullable Object, ? extends Around> begin,
      MethodInvocation call) {
    Around around = begin.apply(null);
    if (around.isRunAlone()) {
      return run(around, call);
    }
    CompletableFuture<?> begun = around.begun();
    CompletableFuture<@Nullable Object> answer =
        until(around, begun.thenCompose(nothing -> run(around, call)));
    // A caller that has cancelled the answer by the begin needs no call.
    var unused = answer.whenComplete((value, failure) -> begun.cancel(false));
    return answer;
  }

  private static CompletableFuture<@Nullable Object> run(Around around, MethodInvocation call) {
    CompletableFuture<@Nullable Object> run = new CompletableFuture<>();
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
    return run;
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
                            end(
                                answer,
                                value,
                                failure == null ? trouble : UnclearAnswer.content(failure))));
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

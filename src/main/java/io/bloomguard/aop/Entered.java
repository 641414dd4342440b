package io.bloomguard.aop;

import io.bloomguard.guard.EntryGuard;
import io.bloomguard.guard.EntryGuard.Admission;
import io.bloomguard.guard.Place;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Calls that only decide: the admission is open until the method has returned, its future has
 * completed or its publisher has ended, depending on the carrier of the answer.
 */
final class Entered {

  private Entered() {}

  /** Continues with the keys that passed, at least one. */
  @FunctionalInterface
  interface Continuation {

    @Nullable Object proceed(MethodInvocation invocation, List<?> admitted) throws Throwable;
  }

  static @Nullable Object by(
      EntryGuard<?> guard,
      Supplier<? extends Collection<?>> keys,
      ReturnAdapter returns,
      MethodInvocation invocation,
      Continuation continuation)
      throws Throwable {
    return switch (returns.shape().carrier()) {
      case DIRECT -> direct(guard.enter(keys.get()), returns, invocation, continuation);
      case STAGE -> stage(guard.enterAsync(keys.get()), returns, invocation, continuation);
      case MONO, FLUX ->
          ReactorCalls.entered(
              () -> guard.enterAsync(keys.get()), returns, invocation, continuation);
    };
  }

  private static @Nullable Object direct(
      Admission<?> entered,
      ReturnAdapter returns,
      MethodInvocation invocation,
      Continuation continuation)
      throws Throwable {
    try (Admission<?> admission = entered;
        Place.Scope scope = admission.enter()) {
      return admission.keys().isEmpty()
          ? returns.carriedRejection()
          : continuation.proceed(invocation, admission.keys());
    }
  }

  /** Continues one call whose answer is a stage, in the place of its admission. */
  static @Nullable Object stage(
      CompletableFuture<? extends Admission<?>> entering,
      ReturnAdapter returns,
      MethodInvocation invocation,
      Continuation continuation)
      throws Throwable {
    if (entering.isDone()) {
      try {
        return proceed(entering.join(), returns, invocation, continuation);
      } catch (CompletionException e) {
        throw ReturnAdapter.cause(e);
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
                ReturnAdapter.pass(proceed(admission, returns, invocation, continuation), answer);
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
      Continuation continuation)
      throws Throwable {
    CompletionStage<?> pending = null;
    try (Place.Scope scope = admission.enter()) {
      if (admission.keys().isEmpty()) {
        return returns.carriedRejection();
      }
      Object returned = continuation.proceed(invocation, admission.keys());
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
}

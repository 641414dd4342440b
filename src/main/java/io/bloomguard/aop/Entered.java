package io.bloomguard.aop;

import io.bloomguard.guard.BloomGuard.Admission;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Calls that only decide: the admission is open until the method has returned, its future has
 * completed or its publisher has ended, whatever carries the answer.
 */
final class Entered {

  private Entered() {}

  /** Goes on with the keys that passed, at least one. */
  @FunctionalInterface
  interface Continuation {

    @Nullable Object proceed(MethodInvocation invocation, List<?> admitted) throws Throwable;
  }

  static @Nullable Object by(
      Answers answers,
      Supplier<? extends Admission<?>> enter,
      MethodInvocation invocation,
      Continuation continuation)
      throws Throwable {
    return switch (answers.shape().carrier()) {
      case DIRECT -> direct(answers, enter, invocation, continuation);
      case STAGE -> stage(answers, enter, invocation, continuation);
      case MONO, FLUX -> ReactorCalls.entered(answers, enter, invocation, continuation);
    };
  }

  private static @Nullable Object direct(
      Answers answers,
      Supplier<? extends Admission<?>> enter,
      MethodInvocation invocation,
      Continuation continuation)
      throws Throwable {
    try (Admission<?> admission = enter.get()) {
      return admission.keys().isEmpty()
          ? answers.carriedAbsent()
          : continuation.proceed(invocation, admission.keys());
    }
  }

  private static @Nullable Object stage(
      Answers answers,
      Supplier<? extends Admission<?>> enter,
      MethodInvocation invocation,
      Continuation continuation)
      throws Throwable {
    Admission<?> admission = enter.get();
    CompletionStage<?> pending = null;
    try {
      if (admission.keys().isEmpty()) {
        return answers.carriedAbsent();
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

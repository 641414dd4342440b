package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Scope;
import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The guard's work around one run of a method: begun before it, and ended once after it. Its
 * carrier calls each step, and waits for it as its own answers are waited for. The run alone is all
 * that most do.
 */
@FunctionalInterface
interface Around {

  CompletableFuture<@Nullable Void> DONE = CompletableFuture.completedFuture(null);

  /**
   * Completed once the method may run; fails if it must not. A caller that stops waiting cancels
   * it; the end still comes.
   */
  default CompletableFuture<?> begun() {
    return DONE;
  }

  /** Whether the run is all there is: nothing is waited for, or held. */
  default boolean isRunAlone() {
    return begun().isDone() && !begun().isCompletedExceptionally();
  }

  /** What a thread works in while it calls the method, or subscribes to its answer. */
  default Scope enter() {
    return Scope.NONE;
  }

  /** The answer of the method, which is called, or subscribed to, now. */
  @Nullable Object run(MethodInvocation call) throws Throwable;

  /** Whether it lasts until a stage has completed that the type of the method does not show. */
  default boolean outlives() {
    return false;
  }

  /** Whether each element of a publisher is passed before its subscriber gets it. */
  default boolean takesElements() {
    return false;
  }

  /** Takes a result, null for none, before the caller gets it. */
  default CompletableFuture<?> passed(@Nullable Object result) {
    return DONE;
  }

  /**
   * Ends the work, once, after its begin has ended, or if a subscriber waits for that no longer.
   *
   * @param failure that of the method, or of the work; null if both have succeeded
   */
  default CompletableFuture<?> end(@Nullable Throwable failure) {
    begun().cancel(false);
    return DONE;
  }
}

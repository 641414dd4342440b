package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.Transactions.End;
import io.bloomguard.guard.internal.KeyWrites.AsyncCall;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * One run of a method that writes. The steps of a method that returns its value are on the calling
 * thread, and so are those in a transaction that is bound to that; the steps of others wait on
 * threads of the guard.
 */
abstract class WriteCall implements Around {

  /**
   * The run itself.
   *
   * @param context that of a subscriber; null for a call of the calling thread
   */
  record Run(
      Transactions transactions,
      List<WrittenKey> keys,
      Carrier carrier,
      MethodInvocation invocation,
      @Nullable Object context) {}

  final Run run;
  private final Object owner;
  private AsyncCall call = AsyncCall.HERE;

  /** Ends with the last step but that of the end. */
  private volatile CompletableFuture<?> steps = DONE;

  /** Whether the method has been called, or its publisher subscribed to. */
  private volatile boolean made;

  /** Whether its end may come apart from the transaction of the thread that has called it. */
  volatile boolean apart;

  WriteCall(Run run) {
    this.run = run;
    this.owner = run.transactions.owner();
  }

  /** Begins, unless too many calls are under way: the write is not made then. */
  final void begin() {
    try {
      // The call of the first filter for which a thread has to wait.
      for (int i = 0;
          call == AsyncCall.HERE && i < run.keys.size() && run.carrier != DirectCarrier.DIRECT;
          i++) {
        call = run.keys.get(i).writes().beginAsync();
      }
    } catch (RequestShedException e) {
      steps = CompletableFuture.failedFuture(e);
    }
  }

  /** Adds a step, which the end awaits. */
  final CompletableFuture<?> step(Supplier<? extends CompletableFuture<?>> step) {
    CompletableFuture<?> next = steps.thenCompose(nothing -> call.run(() -> within(step)));
    steps = next;
    return next;
  }

  private <T> T within(Supplier<T> step) {
    try (Scope scope = run.transactions.enter(owner)) {
      return step.get();
    }
  }

  /** A caller that waits no longer leaves the steps to the end. */
  @Override
  public final CompletableFuture<?> begun() {
    return steps.copy();
  }

  @Override
  public final boolean isRunAlone() {
    return false;
  }

  /**
   * Calls the method.
   *
   * @throws IllegalStateException for a deferred value that its declared type did not show: its
   *     write has not been made
   */
  @Override
  public final @Nullable Object run(MethodInvocation invocation) throws Throwable {
    made = true;
    apart = run.carrier == StageCarrier.STAGE;
    Object returned = Carrier.proceed(invocation);
    if (run.carrier == DirectCarrier.DIRECT && returned != null) {
      apart = returned instanceof CompletionStage;
      if (!apart && Deferred.is(returned.getClass())) {
        throw new IllegalStateException(
            "A writing method returned a "
                + returned.getClass().getTypeName()
                + ", which its declared return type does not show. Declare that type");
      }
    }
    return returned;
  }

  @Override
  public final boolean outlives() {
    return true;
  }

  @Override
  public final CompletableFuture<?> end(@Nullable Throwable failure) {
    End end = SeenEnd.of(failure);
    return steps
        .handle((nothing, refusal) -> call)
        .thenCompose(
            begun ->
                begun.end(
                    () ->
                        within(
                            () -> {
                              ended(end, made);
                              return DONE;
                            })));
  }

  /**
   * The last step.
   *
   * @param made whether the method was called at all
   */
  abstract void ended(End end, boolean made);
}

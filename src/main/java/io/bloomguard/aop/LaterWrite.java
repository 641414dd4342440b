package io.bloomguard.aop;

import io.bloomguard.guard.BloomGuard.AsyncCall;
import io.bloomguard.guard.RequestShedException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A write that ends after its method has returned, in a future or publisher. The guard's work
 * before and after it waits on no thread of the caller, unless a transaction is bound to that.
 */
final class LaterWrite {

  private static final Runnable NOTHING = () -> {};

  private final AsyncCall call;
  private final CompletableFuture<@Nullable Void> begun;
  private final Runnable whenWritten;
  private final Runnable whenNot;

  private LaterWrite(
      AsyncCall call,
      CompletableFuture<@Nullable Void> begun,
      Runnable whenWritten,
      Runnable whenNot) {
    this.call = call;
    this.begun = begun;
    this.whenWritten = whenWritten;
    this.whenNot = whenNot;
  }

  /** Begins the write of {@code keys} by {@code begin}; {@code writes} are closed at its end. */
  static LaterWrite put(List<WrittenKey> keys, Runnable begin, OpenWrites writes) {
    return begun(keys, call -> new LaterWrite(call, call.run(begin), writes::close, writes::close));
  }

  /** A write that drops {@code keys} by {@code evict} at its end, if it has succeeded. */
  static LaterWrite evict(List<WrittenKey> keys, Runnable evict) {
    return begun(
        keys,
        call -> new LaterWrite(call, CompletableFuture.completedFuture(null), evict, NOTHING));
  }

  /** A write that must not be made if too many calls are under way. */
  private static LaterWrite begun(List<WrittenKey> keys, Function<AsyncCall, LaterWrite> write) {
    AsyncCall call;
    try {
      call = call(keys);
    } catch (RequestShedException e) {
      return new LaterWrite(AsyncCall.HERE, CompletableFuture.failedFuture(e), NOTHING, NOTHING);
    }
    return write.apply(call);
  }

  /** The call of the first filter for which a thread has to wait. */
  private static AsyncCall call(List<WrittenKey> keys) {
    for (WrittenKey key : keys) {
      AsyncCall call = key.guard().beginAsync();
      if (call != AsyncCall.HERE) {
        return call;
      }
    }
    return AsyncCall.HERE;
  }

  /** Completed once the method may run; fails if it must not. */
  CompletableFuture<@Nullable Void> begun() {
    return begun;
  }

  /** Ends the write, once, after its begin has ended. */
  CompletableFuture<@Nullable Void> end(boolean successful) {
    return begun
        .handle((nothing, failure) -> call)
        .thenCompose(begunOne -> begunOne.end(successful ? whenWritten : whenNot));
  }

  /**
   * The answer of a method that returns a stage, called within the write. A caller that has
   * cancelled the answer by then needs no call.
   */
  CompletableFuture<@Nullable Object> around(MethodInvocation invocation) {
    CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
    CompletableFuture<@Nullable Object> written = new CompletableFuture<>();
    var unused =
        begun.whenComplete(
            (nothing, refusal) -> {
              if (refusal != null) {
                written.completeExceptionally(refusal);
              } else if (answer.isDone()) {
                written.cancel(false);
              } else {
                proceed(invocation, written);
              }
            });
    var unusedToo =
        written.whenComplete(
            (value, failure) ->
                end(failure == null)
                    .whenComplete(
                        (nothing, trouble) -> {
                          Throwable cause = failure == null ? trouble : failure;
                          if (cause == null) {
                            answer.complete(value);
                          } else {
                            answer.completeExceptionally(ReturnAdapter.cause(cause));
                          }
                        }));
    return answer;
  }

  private static void proceed(
      MethodInvocation invocation, CompletableFuture<@Nullable Object> written) {
    try {
      ReturnAdapter.pass(invocation.proceed(), written);
    } catch (Throwable e) {
      written.completeExceptionally(e);
    }
  }
}

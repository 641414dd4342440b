package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.Pass;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The guard of one method, with what its calls need besides.
 *
 * @param returns the answers of the method
 * @param transactions those that its calls may be in
 */
public record MethodGuard(
    EntryGuard<Object> guard, ReturnAdapter returns, Transactions transactions) {

  /**
   * The guard of one call.
   *
   * @param context that of a subscriber; null for the calling thread
   */
  EntryGuard<Object> guard(@Nullable Object context) {
    return context == null ? guard : guard.ofCall(context);
  }

  Carrier carrier() {
    return returns.shape().carrier();
  }

  /**
   * The answer of a call that only decides; its pass is open until the answer has ended.
   *
   * @param rejected makes the content of the answer if no key goes on
   */
  @Nullable Object deciding(
      Function<EntryGuard<Object>, Ask<?>> ask,
      Supplier<? extends @Nullable Object> rejected,
      MethodInvocation invocation,
      DecidedRun.Continuation continuation)
      throws Throwable {
    return carrier()
        .around(
            transactions,
            context -> {
              EntryGuard<Object> asked = guard(context);
              CompletableFuture<? extends Pass<?>> pass =
                  carrier() == DirectCarrier.DIRECT
                      ? CompletableFuture.completedFuture(asked.ask(ask.apply(asked)))
                      : asked.askLater(ask.apply(asked));
              if (pass.isCompletedExceptionally()) {
                DirectCarrier.await(pass); // a caller learns at once of what is known at once
              }
              return new DecidedRun(pass, this, rejected, continuation);
            },
            invocation);
  }
}

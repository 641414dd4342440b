package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.EntryGuard;
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
}

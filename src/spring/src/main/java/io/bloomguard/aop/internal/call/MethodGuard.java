package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.EntryGuard;

/**
 * The guard of one method, with what its calls need besides.
 *
 * @param returns the answers of the method
 * @param transactions those that its calls may be in
 */
public record MethodGuard(
    EntryGuard<Object> guard, ReturnAdapter returns, Transactions transactions) {

  Carrier carrier() {
    return returns.shape().carrier();
  }
}

package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.Transactions.End;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * One run of a {@code @BloomEvict} method. A method that fails may have deleted its row all the
 * same: its entries are dropped, and its key stays in the filter.
 */
final class EvictCall extends WriteCall {

  private final Evictions evictions;
  private final boolean told;
  private final boolean inTransaction;

  /**
   * Whether the result shows that rows are gone. That of a publisher's elements is not looked at.
   */
  private volatile boolean gone;

  /**
   * Begins a write whose keys have been noted.
   *
   * @param told whether the method's result tells if a row was deleted
   */
  EvictCall(
      Transactions transactions,
      List<WrittenKey> keys,
      Carrier carrier,
      MethodInvocation invocation,
      @Nullable Object context,
      Evictions evictions,
      boolean told) {
    super(transactions, keys, carrier, invocation, context);
    this.evictions = context == null ? evictions : evictions.scoped(context);
    this.told = told;
    this.inTransaction = transactions.isActive();
    begin();
  }

  @Override
  public CompletableFuture<?> passed(@Nullable Object result) {
    evictions.note(keys, true, invocation, result, true);
    // A stage may end before its thread's transaction, and on a thread outside it.
    gone = !(apart && inTransaction) && (!told || hasDeleted(result));
    return DONE;
  }

  /** Whether a result leaves it possible that the method has deleted a row. */
  private static boolean hasDeleted(@Nullable Object result) {
    if (result instanceof Number rows) {
      return rows.longValue() != 0;
    }
    if (result instanceof Collection<?> rows) {
      return !rows.isEmpty();
    }
    if (result instanceof Optional<?> row) {
      return row.isPresent();
    }
    return result != null && !Boolean.FALSE.equals(result);
  }

  /** A transaction ends after its statements: its end decides, even if that of one was not seen. */
  @Override
  void ended(End end, boolean made) {
    if (made && end == End.UNKNOWN && !transactions.isActive()) {
      evictions.runLater();
    } else if (made) {
      evictions.run(gone && end == End.COMMITTED);
    }
  }
}

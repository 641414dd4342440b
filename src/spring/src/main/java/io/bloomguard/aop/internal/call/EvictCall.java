package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Findings;
import io.bloomguard.guard.Transactions.End;
import java.util.concurrent.CompletableFuture;
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
  EvictCall(Run run, Evictions evictions, boolean told) {
    super(run);
    this.evictions = evictions.scoped(run.context());
    this.told = told;
    this.inTransaction = run.transactions().isActive();
    begin();
  }

  @Override
  public CompletableFuture<?> passed(@Nullable Object result) {
    @Nullable Object[] arguments = run.invocation().getArguments();
    evictions.note(run.keys(), true, key -> key.of(arguments, result, run.context()));
    // A stage may end before its thread's transaction, and on a thread outside it.
    gone = !(apart && inTransaction) && (!told || hasDeleted(result));
    return DONE;
  }

  /** Whether a result leaves it possible that the method has deleted a row. */
  private static boolean hasDeleted(@Nullable Object result) {
    return result instanceof Number rows
        ? rows.longValue() != 0
        : result != null && !Boolean.FALSE.equals(result) && !Findings.isEmpty(result);
  }

  /** A transaction ends after its statements: its end decides, even if that of one was not seen. */
  @Override
  void ended(End end, boolean made) {
    if (made && end == End.UNKNOWN && !run.transactions().isActive()) {
      evictions.runLater();
    } else if (made) {
      evictions.run(gone && end == End.COMMITTED);
    }
  }
}

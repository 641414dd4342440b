package io.bloomguard.guard.internal;

import io.bloomguard.guard.PendingAdd;
import io.bloomguard.guard.Transactions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The adds of one write, or of one transaction, that copies in other processes may lack. All of
 * them are waited for together.
 *
 * <p>An add replaces the earlier ones that it includes, so what is kept grows with the filters and
 * their partitions, not with the keys; and never beyond {@link #MOST}. Used by one thread at a
 * time.
 */
public final class PendingAdds {

  /** The most waits that are kept; one more is a wait for all of them. */
  public static final int MOST = 1_000;

  private static final CompletableFuture<?> NONE = CompletableFuture.completedFuture(null);

  private final List<PendingAdd.Wait> waits = new ArrayList<>(1);

  /** Keeps an add, whose rows are not visible yet. */
  public void add(PendingAdd add) {
    add.waits().forEach(this::add);
  }

  /** Keeps the wait of an add whose rows are not visible yet. */
  public void add(PendingAdd.Wait wait) {
    waits.removeIf(wait::includes);
    waits.add(wait);
    if (waits.size() > MOST) {
      await();
    }
  }

  /**
   * Leaves the waits to the transaction of the calling thread, which then waits before its commit.
   *
   * @return ends once nothing is left for the caller to wait for: at once if all of them were left;
   *     on any thread, and never fails
   */
  public CompletableFuture<?> settled(Transactions transactions) {
    waits.removeIf(transactions::awaitBeforeCommit);
    return told();
  }

  /** {@link #settled} for a caller that waits. */
  public void settle(Transactions transactions) {
    settled(transactions).join();
  }

  /** Waits for all; an interrupt is kept, but does not end the wait. */
  public void await() {
    told().join();
  }

  /** Forgets all: their rows will never be visible. */
  public void forget() {
    waits.clear();
  }

  private CompletableFuture<?> told() {
    if (waits.isEmpty()) {
      return NONE;
    }
    CompletableFuture<?>[] all =
        waits.stream()
            .map(wait -> wait.told().toCompletableFuture())
            .toArray(CompletableFuture[]::new);
    waits.clear();
    return CompletableFuture.allOf(all);
  }
}

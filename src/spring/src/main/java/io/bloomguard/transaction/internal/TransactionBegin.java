package io.bloomguard.transaction.internal;

import io.bloomguard.guard.PendingAdd;
import io.bloomguard.guard.internal.PendingAdds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The begin of the transaction that Spring binds to the calling thread. */
final class TransactionBegin implements TransactionSynchronization {

  /** The last of the calling thread's transactions that others have suspended. */
  private static final ThreadLocal<@Nullable TransactionBegin> SUSPENDED = new ThreadLocal<>();

  /** The calling thread's transaction whose completion is under way. */
  private static final ThreadLocal<@Nullable TransactionBegin> COMPLETING = new ThreadLocal<>();

  private final long began = System.nanoTime();
  private final ConfigurableTransactionManager manager;

  /** The writes within others that have suspended this one. */
  private final List<WriteHooks> writes = new ArrayList<>(0);

  /** The adds that are waited for right before the commit. */
  private final PendingAdds adds = new PendingAdds();

  /** Whether that was done: the commit is under way. */
  private boolean awaited;

  /** The one that was suspended before this one; null for none. */
  private @Nullable TransactionBegin before;

  private TransactionBegin(ConfigurableTransactionManager manager) {
    this.manager = manager;
  }

  /** Watches the transactions of {@code bean}, if it manages any that are bound to threads. */
  static void watch(Object bean) {
    if (bean instanceof PlatformTransactionManager
        && bean instanceof ConfigurableTransactionManager manager
        && !isWatched(manager)) {
      manager.addListener(new Listener(manager));
    }
  }

  private static boolean isWatched(ConfigurableTransactionManager manager) {
    return manager.getTransactionExecutionListeners().stream().anyMatch(Listener.class::isInstance);
  }

  /** Whether the innermost transaction of this thread is known to be of another manager. */
  static boolean isOfAnother(PlatformTransactionManager manager) {
    TransactionBegin current = bound();
    return current != null
        && current.manager != manager
        && manager instanceof ConfigurableTransactionManager watched
        && isWatched(watched);
  }

  /** The begin of the transaction of this thread, null if it was not observed. */
  static @Nullable Long began() {
    TransactionBegin current = bound();
    return current == null ? null : current.began;
  }

  /** The suspended transactions whose manager is not known to be that of the innermost one. */
  static List<TransactionBegin> suspendedOfOthers() {
    TransactionBegin bound = bound();
    TransactionBegin current = bound == null ? COMPLETING.get() : bound;
    List<TransactionBegin> others = new ArrayList<>(0);
    for (TransactionBegin each = SUSPENDED.get(); each != null; each = each.before) {
      if (current == null || current.manager != each.manager) {
        others.add(each);
      }
    }
    return others;
  }

  /** Adds the hooks of a write, which run with this transaction's own. */
  void add(WriteHooks write) {
    writes.add(write);
  }

  /**
   * Leaves a wait to the commit of the innermost transaction of this thread, and of those that the
   * row may belong to instead.
   *
   * @return false if one of them is not known to wait before its commit
   */
  static boolean awaitBeforeCommit(PendingAdd.Wait wait) {
    TransactionBegin current = bound();
    List<TransactionBegin> all = suspendedOfOthers();
    if (current == null) {
      return false;
    }
    all.add(current);
    if (!all.stream().allMatch(TransactionBegin::awaits)) {
      return false;
    }
    all.forEach(each -> each.adds.add(wait));
    return true;
  }

  /** Any other manager need not call its listeners right before the commit. */
  private boolean awaits() {
    return !awaited && manager instanceof AbstractPlatformTransactionManager;
  }

  private static @Nullable TransactionBegin bound() {
    return (TransactionBegin) TransactionSynchronizationManager.getResource(TransactionBegin.class);
  }

  private void bind() {
    TransactionSynchronizationManager.bindResource(TransactionBegin.class, this);
  }

  private static void unbind() {
    TransactionSynchronizationManager.unbindResourceIfPossible(TransactionBegin.class);
  }

  // A nested transaction has its own begin.

  @Override
  public void suspend() {
    unbind();
    before = SUSPENDED.get();
    SUSPENDED.set(this);
  }

  @Override
  public void resume() {
    if (before == null) {
      SUSPENDED.remove();
    } else {
      SUSPENDED.set(before);
    }
    before = null;
    bind();
  }

  @Override
  public void savepointRollback(Object savepoint) {
    writes.forEach(write -> write.savepointRollback(savepoint));
  }

  @Override
  public void beforeCommit(boolean readOnly) {
    writes.forEach(write -> write.beforeCommit(readOnly));
  }

  @Override
  public void afterCompletion(int status) {
    unbind();
    COMPLETING.set(this);
    writes.forEach(write -> write.afterCompletion(status));
  }

  /** The listener that takes the time before the begin: a snapshot may be as old as that. */
  private record Listener(ConfigurableTransactionManager manager)
      implements TransactionExecutionListener {

    @Override
    public void beforeBegin(TransactionExecution transaction) {
      // A savepoint begins nothing.
      if (transaction.isNewTransaction() && bound() == null) {
        new TransactionBegin(manager).bind();
      }
    }

    /** Called after all synchronizations, even those that other synchronizations register. */
    @Override
    public void beforeCommit(TransactionExecution transaction) {
      TransactionBegin begin = bound();
      if (transaction.isNewTransaction() && begin != null && begin.manager == manager) {
        begin.awaited = true;
        begin.adds.await();
      }
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
      COMPLETING.remove();
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
      COMPLETING.remove();
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
      TransactionBegin begin = bound();
      if (!transaction.isNewTransaction() || begin == null) {
        return;
      }
      if (failure == null && TransactionSynchronizationManager.isSynchronizationActive()) {
        TransactionSynchronizationManager.registerSynchronization(begin);
      } else {
        unbind();
      }
    }
  }
}

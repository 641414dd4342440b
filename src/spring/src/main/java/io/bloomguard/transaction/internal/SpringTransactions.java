package io.bloomguard.transaction.internal;

import io.bloomguard.guard.PendingAdd;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Transactions;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import reactor.util.context.ContextView;

/**
 * The transactions that Spring binds to the calling thread, or to the context of a subscriber.
 * Needs spring-tx.
 */
public final class SpringTransactions
    implements Transactions, BeanPostProcessor, PriorityOrdered, BeanFactoryAware {

  /** The owner that the calls on a thread were entered into. */
  private static final ThreadLocal<@Nullable Object> ENTERED = new ThreadLocal<>();

  private @Nullable ListableBeanFactory beans;

  /** Transactions that find no transaction manager before the bean factory is set. */
  public SpringTransactions() {}

  @Override
  public void setBeanFactory(BeanFactory factory) {
    beans = factory instanceof ListableBeanFactory listable ? listable : null;
  }

  /**
   * The order before proxies are made, whose advisors would otherwise be created too early to
   * process this bean.
   */
  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  /** Makes every transaction manager report the begin of a transaction. */
  @Override
  public Object postProcessBeforeInitialization(Object bean, String name) {
    TransactionBegin.watch(bean);
    return bean;
  }

  /**
   * Registers with the transaction of this thread. A scope that synchronizes without a transaction
   * ({@code SUPPORTS}) does not count as one: its statements commit one by one.
   *
   * <p>A transaction of another manager within that of the rows suspends its synchronizations, but
   * not its connection. Which of them the rows belong to is not known, so the write ends with the
   * last.
   */
  @Override
  public boolean register(Runnable beforeCommit, Completion afterCompletion) {
    Object entered = ENTERED.get();
    if (entered instanceof ReactiveTransaction transaction) {
      return transaction.register(beforeCommit, afterCompletion);
    }
    if (!isActive()) {
      return false;
    }
    if (entered != null || !TransactionSynchronizationManager.isSynchronizationActive()) {
      // Its end is never seen, or under way: the connection commits what is written now later.
      afterCompletion.completed(End.UNKNOWN);
      return true;
    }
    List<TransactionBegin> others = TransactionBegin.suspendedOfOthers();
    Completion last = lastOf(others.size() + 1, afterCompletion);
    TransactionSynchronizationManager.registerSynchronization(new WriteHooks(beforeCommit, last));
    others.forEach(other -> other.add(new WriteHooks(beforeCommit, last)));
    return true;
  }

  /**
   * Leaves the wait to a transaction that is bound to this thread, unless its manager is not
   * watched or it is about to commit. A reactive one would wait on a thread all the same.
   */
  @Override
  public boolean awaitBeforeCommit(PendingAdd.Wait wait) {
    return ENTERED.get() == null
        && TransactionSynchronizationManager.isActualTransactionActive()
        && TransactionSynchronizationManager.isSynchronizationActive()
        && TransactionBegin.awaitBeforeCommit(wait);
  }

  /**
   * The end of a write whose rows may belong to any of several transactions: the last of their
   * ends, and the least certain.
   */
  private static Completion lastOf(int transactions, Completion completion) {
    int[] open = {transactions};
    End[] end = {End.COMMITTED};
    return another -> {
      end[0] = another.compareTo(end[0]) > 0 ? another : end[0];
      if (--open[0] == 0) {
        completion.completed(end[0]);
      }
    };
  }

  @Override
  public Object owner() {
    Object entered = ENTERED.get();
    return entered == null ? Thread.currentThread() : entered;
  }

  @Override
  public Scope enter(Object carrier) {
    Object owner =
        carrier instanceof Thread
            ? null
            : carrier instanceof ContextView context ? ReactiveTransaction.in(context) : carrier;
    Object outer = ENTERED.get();
    if (owner == outer) {
      return Scope.NONE;
    }
    set(owner);
    return () -> set(outer);
  }

  private static void set(@Nullable Object owner) {
    if (owner == null) {
      ENTERED.remove();
    } else {
      ENTERED.set(owner);
    }
  }

  @Override
  public boolean isActive() {
    return ENTERED.get() != null || TransactionSynchronizationManager.isActualTransactionActive();
  }

  @Override
  public boolean isCompleting() {
    Object entered = ENTERED.get();
    return entered != null
        ? ReactiveTransaction.isCompleting(entered)
        : TransactionSynchronizationManager.isActualTransactionActive()
            && !TransactionSynchronizationManager.isSynchronizationActive()
            && TransactionBegin.suspendedOfOthers().isEmpty();
  }

  private @Nullable Long began() {
    Long began = ENTERED.get() != null ? null : TransactionBegin.began();
    return !isActive() ? null : began != null ? began : Long.valueOf(unknown());
  }

  /**
   * As old as the transaction. A scope that synchronizes without one ({@code SUPPORTS}) may hold a
   * session or a connection since an unknown time.
   */
  @Override
  public @Nullable Long readsSince() {
    Long began = began();
    return began == null && TransactionSynchronizationManager.isSynchronizationActive() && holds()
        ? Long.valueOf(unknown())
        : began;
  }

  private static long unknown() {
    return System.nanoTime() - UNKNOWN_AGE.toNanos();
  }

  private static boolean holds() {
    return TransactionSynchronizationManager.getResourceMap().values().stream()
        .anyMatch(
            resource ->
                resource instanceof ResourceHolderSupport holder
                    && holder.isSynchronizedWithTransaction());
  }

  @Override
  public UnaryOperator<Object> publisherBoundary(String manager) {
    return beans == null
        ? Transactions.super.publisherBoundary(manager)
        : ReactiveTransaction.boundary(beans, manager);
  }

  @Override
  public Boundary boundary(String manager) {
    return beans == null
        ? Transactions.super.boundary(manager)
        : TransactionBoundary.of(beans, manager);
  }
}

package io.bloomguard.transaction;

import io.bloomguard.guard.Transactions;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronization;
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
   */
  @Override
  public boolean register(Runnable beforeCommit, Completion afterCompletion) {
    Object entered = ENTERED.get();
    if (entered != null) {
      return register(entered, beforeCommit, afterCompletion);
    }
    if (!TransactionSynchronizationManager.isActualTransactionActive()) {
      return false;
    }
    if (!TransactionSynchronizationManager.isSynchronizationActive()) {
      // Within the completion: the connection commits what is written now later.
      afterCompletion.completed(End.UNKNOWN);
      return true;
    }
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {

          // Work that was registered within a savepoint may be undone although the transaction
          // commits.
          private boolean partlyRolledBack;

          @Override
          public void savepointRollback(Object savepoint) {
            partlyRolledBack = true;
          }

          @Override
          public void beforeCommit(boolean readOnly) {
            beforeCommit.run();
          }

          // Not afterCommit: it is skipped when the acknowledgement of a commit is lost.
          @Override
          public void afterCompletion(int status) {
            afterCompletion.completed(end(status));
          }

          private End end(int status) {
            return switch (status) {
              case STATUS_COMMITTED -> partlyRolledBack ? End.ROLLED_BACK : End.COMMITTED;
              case STATUS_ROLLED_BACK -> End.ROLLED_BACK;
              default -> End.UNKNOWN;
            };
          }
        });
    return true;
  }

  /** The end of a transaction without synchronization is never seen. */
  private static boolean register(Object entered, Runnable before, Completion after) {
    if (entered instanceof ReactiveTransaction transaction) {
      return transaction.register(before, after);
    }
    after.completed(End.UNKNOWN);
    return true;
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
  public @Nullable Duration age() {
    if (ENTERED.get() != null) {
      return UNKNOWN_AGE;
    }
    if (!TransactionSynchronizationManager.isActualTransactionActive()) {
      return null;
    }
    Duration age = TransactionBegin.age();
    return age == null ? UNKNOWN_AGE : age;
  }

  /**
   * As old as the transaction. A scope that synchronizes without one ({@code SUPPORTS}) may hold a
   * session or a connection since an unknown time.
   */
  @Override
  public @Nullable Duration readAge() {
    Duration age = age();
    return age == null && TransactionSynchronizationManager.isSynchronizationActive() && holds()
        ? UNKNOWN_AGE
        : age;
  }

  private static boolean holds() {
    for (Object resource : TransactionSynchronizationManager.getResourceMap().values()) {
      if (resource instanceof ResourceHolderSupport holder
          && holder.isSynchronizedWithTransaction()) {
        return true;
      }
    }
    return false;
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

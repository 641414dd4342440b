package io.bloomguard.transaction;

import io.bloomguard.guard.Transactions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The transactions that Spring binds to the calling thread. Needs spring-tx. */
public final class SpringTransactions
    implements Transactions, BeanPostProcessor, PriorityOrdered, BeanFactoryAware {

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
    if (!TransactionSynchronizationManager.isSynchronizationActive()
        || !TransactionSynchronizationManager.isActualTransactionActive()) {
      return false;
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
            afterCompletion.completed(status == STATUS_COMMITTED && !partlyRolledBack);
          }
        });
    return true;
  }

  @Override
  public @Nullable Duration age() {
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
  public Boundary boundary(String manager) {
    return beans == null
        ? Transactions.super.boundary(manager)
        : TransactionBoundary.of(beans, manager);
  }
}

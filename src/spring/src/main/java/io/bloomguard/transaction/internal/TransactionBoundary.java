package io.bloomguard.transaction.internal;

import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.ValueLoader;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The boundary that begins a transaction around a write if none of its manager is active.
 *
 * <p>With a name, the transaction is always that manager's, which joins its own. Without a name,
 * the application has one manager, and any active transaction suffices.
 */
final class TransactionBoundary implements Transactions.Boundary {

  private final ListableBeanFactory beans;
  private final String name;

  private TransactionBoundary(ListableBeanFactory beans, String name) {
    this.beans = beans;
    this.name = name;
  }

  /**
   * Wraps calls into a transaction of a named manager; the managers are made at the first call, not
   * here.
   */
  static TransactionBoundary of(ListableBeanFactory beans, String name) {
    List<String> managers = named(beans, PlatformTransactionManager.class, "");
    if (managers.isEmpty()) {
      throw new IllegalArgumentException("the application has no transaction manager");
    }
    if (name.isEmpty() && managers.size() > 1) {
      throw new IllegalArgumentException(
          "there are the transaction managers "
              + managers
              + ", and an active transaction of one is none for the rows of another");
    }
    if (named(beans, PlatformTransactionManager.class, name).isEmpty()) {
      throw new IllegalArgumentException(
          "there is no transaction manager '" + name + "', but " + managers);
    }
    return new TransactionBoundary(beans, name);
  }

  @Override
  public <T, X extends Throwable> @Nullable T within(ValueLoader<T, X> work) throws X {
    if (name.isEmpty() && TransactionSynchronizationManager.isActualTransactionActive()) {
      return work.load();
    }
    PlatformTransactionManager manager = manager();
    TransactionStatus status = manager.getTransaction(TransactionDefinition.withDefaults());
    if (!status.isNewTransaction() && TransactionBegin.isOfAnother(manager)) {
      throw new IllegalStateException(
          "A transaction of another manager is active within that of the transaction manager '"
              + name
              + "', and its end would be taken for that of this write. Write outside of it");
    }
    T result;
    try {
      result = work.load();
    } catch (Throwable e) {
      rollback(manager, status, e);
      throw e;
    }
    manager.commit(status);
    return result;
  }

  private PlatformTransactionManager manager() {
    return name.isEmpty()
        ? beans.getBean(
            named(beans, PlatformTransactionManager.class, "").get(0),
            PlatformTransactionManager.class)
        : BeanFactoryAnnotationUtils.qualifiedBeanOfType(
            beans, PlatformTransactionManager.class, name);
  }

  /** Rolls back after any exception: rows whose keys were not added must not become visible. */
  private static void rollback(
      PlatformTransactionManager manager, TransactionStatus status, Throwable failure) {
    // A joined transaction ends at its owner, by the owner's rules.
    if (!status.isNewTransaction()) {
      return;
    }
    try {
      manager.rollback(status);
    } catch (RuntimeException | Error e) {
      failure.addSuppressed(e);
    }
  }

  /**
   * The managers of a type that have a name, or a qualifier, as in {@code @Transactional}; all of
   * them for an empty one.
   */
  static List<String> named(ListableBeanFactory beans, Class<?> type, String name) {
    return Arrays.stream(
            BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false))
        .filter(
            bean ->
                name.isEmpty()
                    || BeanFactoryAnnotationUtils.isQualifierMatch(name::equals, bean, beans))
        .toList();
  }
}

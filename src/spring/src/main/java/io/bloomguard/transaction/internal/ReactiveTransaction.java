package io.bloomguard.transaction.internal;

import io.bloomguard.guard.Transactions.Completion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.reactive.TransactionContext;
import org.springframework.transaction.reactive.TransactionContextManager;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * A transaction that the contexts of its subscribers carry, with the hooks of its writes. Loaded
 * only if such a context is there.
 *
 * <p>The hooks may wait for Redis, so they run on Reactor's threads for work that waits.
 */
final class ReactiveTransaction implements TransactionSynchronization {

  private static final Logger LOG = LoggerFactory.getLogger(ReactiveTransaction.class);

  /** The key under which Spring puts the stack of transactions into a context. */
  private static final Set<Object> HOLDER =
      TransactionContextManager.getOrCreateContextHolder().apply(Context.empty()).stream()
          .map(Map.Entry::getKey)
          .collect(Collectors.toSet());

  private static final AtomicBoolean WARNED = new AtomicBoolean();

  private final ReentrantLock lock = new ReentrantLock();
  private final List<WriteHooks> hooks = new ArrayList<>(1);
  private boolean completed;

  private ReactiveTransaction() {}

  /**
   * The owner of writes under {@code context}: a {@link ReactiveTransaction}, or another object for
   * a transaction without synchronization; null if the context carries no transaction.
   */
  @SuppressWarnings("NullAway") // a future that has no value yet, or none
  static @Nullable Object in(ContextView context) {
    if (context.isEmpty()
        || (!context.hasKey(TransactionContext.class)
            && HOLDER.stream().noneMatch(context::hasKey))) {
      return null;
    }
    TransactionContext carried =
        TransactionContextManager.currentContext()
            .onErrorComplete(NoTransactionException.class)
            .contextWrite(context)
            .toFuture()
            .getNow(null);
    return carried == null ? null : of(carried);
  }

  /** Statements of one transaction may be subscribed to on several threads. */
  private static @Nullable Object of(TransactionContext carried) {
    TransactionSynchronizationManager manager = new TransactionSynchronizationManager(carried);
    synchronized (carried) {
      if (!manager.isSynchronizationActive()) {
        warnOf(manager);
        return carried;
      }
      if (!manager.isActualTransactionActive()) {
        return null;
      }
      for (TransactionSynchronization each : manager.getSynchronizations()) {
        if (each instanceof ReactiveTransaction known) {
          return known;
        }
      }
      ReactiveTransaction first = new ReactiveTransaction();
      manager.registerSynchronization(first);
      return first;
    }
  }

  /** Whether an owner of writes stands for a transaction whose completion is under way. */
  static boolean isCompleting(Object owner) {
    return owner instanceof TransactionContext carried
        && new TransactionSynchronizationManager(carried).isActualTransactionActive();
  }

  private static void warnOf(TransactionSynchronizationManager manager) {
    if (!manager.isActualTransactionActive() && WARNED.compareAndSet(false, true)) {
      LOG.warn(
          "A reactive transaction manager synchronizes nothing, so the ends of its transactions are"
              + " not seen: after each write, its key stays out of the caches for"
              + " bloomguard.writes.timeout. Derive the manager from"
              + " AbstractReactiveTransactionManager, or set caching = NONE");
    }
  }

  /** Wraps publishers into a reactive transaction of a named manager; the manager is made later. */
  static UnaryOperator<Object> boundary(ListableBeanFactory beans, String name) {
    List<String> managers =
        TransactionBoundary.named(beans, ReactiveTransactionManager.class, name);
    if (managers.isEmpty()) {
      throw new IllegalArgumentException(
          "the application has no reactive transaction manager"
              + (name.isEmpty() ? "" : " '" + name + "'"));
    }
    if (managers.size() > 1) {
      throw new IllegalArgumentException(
          "which of the reactive transaction managers " + managers + " begins it is not said");
    }
    String only = managers.get(0);
    return publisher -> {
      TransactionalOperator operator =
          TransactionalOperator.create(beans.getBean(only, ReactiveTransactionManager.class));
      return publisher instanceof Flux<?> flux
          ? operator.transactional(flux)
          : operator.transactional((Mono<?>) publisher);
    };
  }

  /** Adds hooks; false if the transaction has completed. */
  boolean register(Runnable before, Completion after) {
    lock.lock();
    try {
      if (!completed) {
        hooks.add(new WriteHooks(before, after));
      }
      return !completed;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Mono<Void> beforeCommit(boolean readOnly) {
    return waiting(() -> hooks(false).forEach(hook -> hook.beforeCommit(readOnly)));
  }

  @Override
  public Mono<Void> afterCompletion(int status) {
    return waiting(() -> hooks(true).forEach(hook -> completed(hook, status)));
  }

  private List<WriteHooks> hooks(boolean last) {
    lock.lock();
    try {
      completed |= last;
      return List.copyOf(hooks);
    } finally {
      lock.unlock();
    }
  }

  /** A hook that fails leaves the others to run. The numbers of a status are those of threads. */
  private static void completed(WriteHooks hook, int status) {
    try {
      hook.afterCompletion(status);
    } catch (RuntimeException e) {
      LOG.warn("The end of a write in a reactive transaction failed: {}", e.getMessage());
    }
  }

  private Mono<Void> waiting(Runnable work) {
    return Mono.<Void>fromRunnable(work).subscribeOn(Schedulers.boundedElastic());
  }
}

package io.bloomguard.aop.internal.call;

import io.bloomguard.annotation.BloomPut;
import io.bloomguard.aop.GuardedMethodException;
import io.bloomguard.aop.internal.method.AnnotatedMethod;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.Transactions.End;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The calls of {@code @BloomPut} and {@code @BloomEvict} methods. */
public final class WriteCalls {

  private final Transactions transactions;

  public WriteCalls(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Adds before the method runs. The writes stay open until the method has completed, or the future
   * or publisher that it returned, and the transaction that it was called in.
   */
  public Call put(List<WrittenKey> keys, Carrier carrier) {
    return invocation -> {
      OpenWrites writes = new OpenWrites(transactions);
      if (!carrier.publishes() && (writes.join() || carrier == DirectCarrier.DIRECT)) {
        return untilDone(keys, invocation, writes);
      }
      return carrier.written(
          transactions,
          context -> putAsync(keys, invocation, false, context),
          () -> Carrier.proceed(carrier.publishes() ? Carrier.again(invocation) : invocation));
    };
  }

  /**
   * @param many whether several results come, each with keys
   */
  private AsyncWrite putAsync(
      List<WrittenKey> keys, MethodInvocation invocation, boolean many, @Nullable Object context) {
    OpenWrites writes = new OpenWrites(transactions);
    writes.join();
    Object owner = transactions.owner();
    return AsyncWrite.put(
        keys,
        carried(owner, begin(writes, keys, false, false, invocation, null, context)),
        result -> carried(owner, begin(writes, keys, true, !many, invocation, result, context)),
        writes::methodEnded);
  }

  /** A step on another thread, in the transaction of {@code owner}. */
  private Supplier<CompletableFuture<?>> carried(
      Object owner, Supplier<CompletableFuture<?>> step) {
    return () -> {
      try (Scope scope = transactions.enter(owner)) {
        return step.get();
      }
    };
  }

  private static @Nullable Object untilDone(
      List<WrittenKey> keys, MethodInvocation invocation, OpenWrites writes) throws Throwable {
    End end = End.ROLLED_BACK;
    boolean later = false;
    try {
      begin(writes, keys, false, false, invocation, null, null).get().join();
      Object returned;
      try {
        returned = invocation.proceed();
      } catch (Throwable e) {
        end = AsyncWrite.ended(e);
        throw e;
      }
      if (returned instanceof CompletionStage<?> stage) {
        later = true;
        return apart(
            stage.whenComplete((value, failure) -> writes.letGo(AsyncWrite.ended(failure))));
      }
      return requireEnded(returned);
    } finally {
      if (!later) {
        writes.methodEnded(end);
      }
    }
  }

  /**
   * The begin of the writes, which may wait, and then for the copies in other processes. The keys
   * are read here, on the calling thread.
   *
   * @param after whether the keys that come with a result are meant
   * @param last whether no other keys come after these
   */
  private static Supplier<CompletableFuture<?>> begin(
      OpenWrites writes,
      List<WrittenKey> keys,
      boolean after,
      boolean last,
      MethodInvocation invocation,
      @Nullable Object result,
      @Nullable Object context) {
    List<Runnable> begins = new ArrayList<>(keys.size());
    for (WrittenKey key : keys) {
      if (key.after() == after) {
        List<?> read = List.copyOf(key.of(invocation.getArguments(), result, context));
        begins.add(() -> writes.begin(key.writes(), read));
      } else if (key.after()) {
        begins.add(() -> writes.beginUnnamed(key.writes()));
      }
    }
    if (last) {
      begins.add(writes::named);
    }
    return () -> {
      begins.forEach(Runnable::run);
      return writes.settled();
    };
  }

  /**
   * The runner that puts the calls of {@code method} into a transaction.
   *
   * @throws GuardedMethodException if it is already known that no call can be in a transaction
   */
  public <B> B boundary(AnnotatedMethod<BloomPut> method, Function<String, B> boundaries) {
    Set<String> managers = new TreeSet<>();
    method.annotations().stream()
        .map(BloomPut::transactionManager)
        .filter(name -> !name.isEmpty())
        .forEach(managers::add);
    if (managers.isEmpty()) {
      managers.addAll(TransactionalMethods.manager(method));
    }
    if (managers.size() > 1) {
      throw method.refuse(
          "names the transaction managers " + managers + ", but is one write", "Name one of them");
    }
    try {
      return boundaries.apply(managers.stream().findFirst().orElse(""));
    } catch (IllegalArgumentException e) {
      throw method.refuse(
          "takes its key after the call, inside a transaction, but " + e.getMessage(),
          "Add or name the transaction manager of the written rows (transactionManager = \"...\","
              + " or @Transactional(\"...\") on the method or its class), or take the key from the"
              + " parameters before the call");
    }
  }

  /**
   * Adds keys that are known only after the method, inside the transaction and before its commit;
   * if there is no transaction, one is begun around the method.
   */
  public Call putAfter(
      List<WrittenKey> keys, Transactions.Boundary boundary, AnnotatedMethod<?> method) {
    String refusal =
        method.describe()
            + " takes its key after the call, when the row is written; without a transaction the"
            + " row is visible by then. Add @Transactional to the method or its caller, or take the"
            + " key from the parameters before the call";
    return invocation ->
        boundary.<Object, Throwable>within(
            () -> {
              OpenWrites writes = new OpenWrites(transactions);
              if (!transactions.register(writes::renew, writes::end)) {
                throw new IllegalStateException(refusal);
              }
              begin(writes, keys, false, false, invocation, null, null).get().join();
              Object result = requireEnded(invocation.proceed());
              begin(writes, keys, true, true, invocation, result, null).get().join();
              return result;
            });
  }

  /** Puts keys that a publisher yields with its values, within a reactive transaction. */
  public Call publishAfter(List<WrittenKey> keys, Carrier carrier, UnaryOperator<Object> boundary) {
    boolean many = carrier.isMany();
    return invocation ->
        boundary.apply(
            PublisherCarrier.writtenWithResult(
                transactions,
                context -> putAsync(keys, invocation, many, context),
                invocation,
                many));
  }

  /**
   * Evicts once the method has deleted the row. A method that fails may have deleted it all the
   * same: its entries are dropped, and its key stays in the filter.
   */
  public Call evict(List<WrittenKey> keys, Carrier carrier) {
    // The end of the transaction in which a publisher is subscribed is unknown here, so its keys
    // stay in the filter.
    boolean publishes = carrier.publishes();
    return invocation -> {
      boolean inTransaction = transactions.isActive();
      // Before the method, which may change the arguments that the keys are read from, and before
      // the row is deleted.
      try (Evictions evictions = new Evictions(keys)) {
        note(evictions, keys, false, invocation, null, publishes);
        if (carrier == StageCarrier.STAGE) {
          return AsyncWrite.evict(keys, end -> ended(evictions, end, !inTransaction))
              .around(() -> Carrier.proceed(invocation));
        }
        Object returned = deleted(invocation, evictions);
        if (returned instanceof CompletionStage<?> stage) {
          // A stage may end before this thread's transaction, and on a thread outside it.
          return apart(
              stage.whenComplete(
                  (value, failure) -> ended(evictions, AsyncWrite.ended(failure), !inTransaction)));
        }
        if (returned != null && publishes) {
          return carrier.written(
              transactions, context -> evictAsync(keys, evictions, context), () -> returned);
        }
        requireEnded(returned);
        note(evictions, keys, true, invocation, returned, publishes);
        boolean told = invocation.getMethod().getReturnType() != void.class;
        evictions.run(!publishes && (!told || hasDeleted(returned)));
        return returned;
      }
    };
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

  /** A stage of the caller's own: one that is cancelled would leave out the step before it. */
  private static <T> CompletionStage<T> apart(CompletionStage<T> stage) {
    return stage.thenApply(value -> value);
  }

  private @Nullable Object deleted(MethodInvocation invocation, Evictions evictions)
      throws Throwable {
    try {
      return invocation.proceed();
    } catch (Throwable e) {
      try {
        ended(evictions, AsyncWrite.ended(e), false);
      } catch (RuntimeException trouble) {
        e.addSuppressed(trouble);
      }
      throw e;
    }
  }

  private AsyncWrite evictAsync(List<WrittenKey> keys, Evictions noted, @Nullable Object context) {
    Evictions evictions = noted.scoped(context);
    Object owner = transactions.owner();
    return AsyncWrite.evict(
        keys,
        end -> {
          try (Scope scope = transactions.enter(owner)) {
            ended(evictions, end, false);
          }
        });
  }

  /** A transaction ends after its statements: its end decides, even if that of one was not seen. */
  private void ended(Evictions evictions, End end, boolean remove) {
    if (end == End.UNKNOWN && !transactions.isActive()) {
      evictions.runLater();
    } else {
      evictions.run(remove && end == End.COMMITTED);
    }
  }

  private static void note(
      Evictions evictions,
      List<WrittenKey> keys,
      boolean after,
      MethodInvocation invocation,
      @Nullable Object result,
      boolean publishes) {
    for (WrittenKey key : keys) {
      if (key.after() == after) {
        // A subscription has its own scope.
        Collection<?> noted = key.of(invocation.getArguments(), result);
        evictions.add(key, publishes ? noted : key.writes().scoped(noted, null));
      }
    }
  }

  /**
   * The result of a method whose write has been made.
   *
   * @throws IllegalStateException for a deferred value that its declared type did not show
   */
  private static @Nullable Object requireEnded(@Nullable Object returned) {
    if (returned != null && Deferred.is(returned.getClass())) {
      throw new IllegalStateException(
          "A writing method returned a "
              + returned.getClass().getTypeName()
              + ", which its declared return type does not show. Declare that type: the guard then"
              + " follows the write to its end, or refuses it at the start");
    }
    return returned;
  }
}

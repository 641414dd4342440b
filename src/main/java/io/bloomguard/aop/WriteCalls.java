package io.bloomguard.aop;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.Transactions;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The calls of {@code @BloomPut} and {@code @BloomEvict} methods. */
final class WriteCalls {

  private final Transactions transactions;

  WriteCalls(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Adds before the method runs. The writes stay open until the method has completed, or the future
   * or publisher that it returned, and the transaction that it was called in.
   */
  Call put(BloomGuard<?> guard, CompiledKey key, ReturnShape.Carrier carrier) {
    return invocation -> {
      if (carrier == ReturnShape.Carrier.MONO || carrier == ReturnShape.Carrier.FLUX) {
        return ReactorCalls.writing(carrier, invocation, () -> opened(guard, key, invocation));
      }
      OpenWrites writes = new OpenWrites();
      Holders holders = new Holders(writes);
      if (transactions.register(writes::renew, committed -> holders.letGo())) {
        holders.join();
      }
      return untilDone(guard, key, invocation, writes, holders);
    };
  }

  private static @Nullable Object untilDone(
      BloomGuard<?> guard,
      CompiledKey key,
      MethodInvocation invocation,
      OpenWrites writes,
      Holders holders)
      throws Throwable {
    boolean later = false;
    try {
      writes.begin(guard, KeyCalls.key(key, invocation), key.plural());
      Object returned = invocation.proceed();
      if (returned instanceof CompletionStage<?> stage) {
        later = true;
        return stage.whenComplete((value, failure) -> holders.letGo());
      }
      return returned;
    } finally {
      if (!later) {
        holders.letGo();
      }
    }
  }

  private static OpenWrites opened(
      BloomGuard<?> guard, CompiledKey key, MethodInvocation invocation) {
    OpenWrites writes = new OpenWrites();
    try {
      writes.begin(guard, KeyCalls.key(key, invocation), key.plural());
      return writes;
    } catch (RuntimeException e) {
      writes.close();
      throw e;
    }
  }

  /** Adds what the method returned, inside the transaction and before its commit. */
  Call putResult(BloomGuard<?> guard, CompiledKey key, AnnotatedMethod<?> method) {
    String refusal =
        "@BloomPut on "
            + GuardedMethodException.describe(method.specific())
            + " needs #result, so its key is known only after the row is written; without a"
            + " transaction the row is visible by then. Add @Transactional to the method or its"
            + " caller (on a Spring Data repository only the caller's will do: its own ends"
            + " before its result is seen), or use a key from the parameters";
    return invocation -> {
      OpenWrites writes = new OpenWrites();
      if (!transactions.register(writes::renew, committed -> writes.close())) {
        throw new IllegalStateException(refusal);
      }
      Object result = invocation.proceed();
      writes.begin(guard, key.extract(invocation.getArguments(), result), key.plural());
      return result;
    };
  }

  /** Evicts once the method has deleted the row; a method that fails evicts nothing. */
  Call evict(BloomGuard<?> guard, CompiledKey key, ReturnShape.Carrier carrier) {
    return invocation -> {
      Object keys = KeyCalls.key(key, invocation);
      Runnable evict = () -> evict(guard, keys, key.plural());
      Object returned = invocation.proceed();
      if (returned == null) {
        evict.run();
        return null;
      }
      return switch (carrier) {
        case DIRECT -> {
          evict.run();
          yield returned;
        }
        case STAGE -> ((CompletionStage<?>) returned).thenApply(value -> after(evict, value));
        case MONO, FLUX -> ReactorCalls.afterSuccess(returned, evict);
      };
    };
  }

  private static <T> T after(Runnable action, T value) {
    action.run();
    return value;
  }

  @SuppressWarnings("NullAway") // the guard refuses a null key
  private static void evict(BloomGuard<?> guard, Object keys, boolean plural) {
    if (plural || keys instanceof Iterable<?>) {
      KeysCalls.keys(keys).forEach(guard::evict);
    } else {
      guard.evict(keys);
    }
  }

  /** Those for whom writes stay open: the method, and the transaction where there is one. */
  private static final class Holders {

    private final OpenWrites writes;
    private final AtomicInteger holders = new AtomicInteger(1);

    Holders(OpenWrites writes) {
      this.writes = writes;
    }

    void join() {
      holders.incrementAndGet();
    }

    /** The last to let go closes the writes. */
    void letGo() {
      if (holders.decrementAndGet() == 0) {
        writes.close();
      }
    }
  }
}

package io.bloomguard.aop;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.Transactions;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The calls of {@code @BloomPut} and {@code @BloomEvict} methods. */
final class WriteCalls {

  private final Transactions transactions;

  WriteCalls(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Adds before the method runs. Within a transaction the writes stay open until it has completed,
   * otherwise until the method has, or the future or publisher that it returned.
   */
  Call put(BloomGuard<?> guard, CompiledKey key, ReturnShape.Carrier carrier) {
    return invocation -> {
      if (carrier == ReturnShape.Carrier.MONO || carrier == ReturnShape.Carrier.FLUX) {
        return ReactorCalls.writing(carrier, invocation, () -> opened(guard, key, invocation));
      }
      OpenWrites writes = new OpenWrites();
      if (transactions.register(writes::renew, committed -> writes.close())) {
        writes.begin(guard, KeyCalls.key(key, invocation), key.plural());
        return invocation.proceed();
      }
      return untilDone(guard, key, invocation, writes);
    };
  }

  private static @Nullable Object untilDone(
      BloomGuard<?> guard, CompiledKey key, MethodInvocation invocation, OpenWrites writes)
      throws Throwable {
    try (CloseOnce open = new CloseOnce(writes)) {
      writes.begin(guard, KeyCalls.key(key, invocation), key.plural());
      Object returned = invocation.proceed();
      if (returned instanceof CompletionStage<?> stage) {
        open.leave();
        return stage.whenComplete((value, failure) -> writes.close());
      }
      return returned;
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

  /** Closes writes at the end of a block unless somebody else will. */
  private static final class CloseOnce implements AutoCloseable {

    private @Nullable OpenWrites writes;

    CloseOnce(OpenWrites writes) {
      this.writes = writes;
    }

    void leave() {
      writes = null;
    }

    @Override
    public void close() {
      if (writes != null) {
        writes.close();
      }
    }
  }
}

package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.Transactions.End;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * One run of a {@code @BloomPut} method. Its writes stay open until the method has completed, or
 * the future or publisher that it returned, and the transaction that it was called in.
 */
final class PutCall extends WriteCall {

  private final OpenWrites writes;

  /** Whether keys come with the results. */
  private final boolean drawn;

  /**
   * Begins the writes of the keys that are known before the method.
   *
   * @param refusal of a call without a transaction; null if that may be
   */
  PutCall(
      Transactions transactions,
      List<WrittenKey> keys,
      Carrier carrier,
      MethodInvocation invocation,
      @Nullable Object context,
      @Nullable String refusal) {
    super(transactions, keys, carrier, invocation, context);
    this.writes = new OpenWrites(transactions);
    this.drawn = keys.stream().anyMatch(WrittenKey::after);
    if (!writes.join() && refusal != null) {
      throw new IllegalStateException(refusal);
    }
    Supplier<CompletableFuture<?>> adding = adding(false, null);
    begin();
    var unused = step(adding);
  }

  @Override
  public boolean takesElements() {
    return drawn;
  }

  @Override
  public CompletableFuture<?> passed(@Nullable Object result) {
    return drawn ? step(adding(true, result)) : DONE;
  }

  /**
   * The add of the keys, which may wait, and then for the copies in other processes. The keys are
   * read here, on the calling thread.
   *
   * @param after whether the keys that come with a result are meant
   */
  private Supplier<CompletableFuture<?>> adding(boolean after, @Nullable Object result) {
    List<Runnable> adds = new ArrayList<>(keys.size());
    for (WrittenKey key : keys) {
      if (key.after() == after) {
        List<?> read = List.copyOf(key.of(invocation.getArguments(), result, context));
        adds.add(() -> writes.begin(key.writes(), read));
      } else if (key.after()) {
        adds.add(() -> writes.beginUnnamed(key.writes()));
      }
    }
    if (after && !carrier.isMany()) {
      adds.add(writes::named);
    }
    return () -> {
      adds.forEach(Runnable::run);
      return writes.settled();
    };
  }

  @Override
  void ended(End end, boolean made) {
    writes.methodEnded(made ? end : End.ROLLED_BACK, apart);
  }
}

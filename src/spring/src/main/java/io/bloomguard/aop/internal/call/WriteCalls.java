package io.bloomguard.aop.internal.call;

import io.bloomguard.annotation.BloomPut;
import io.bloomguard.aop.internal.method.AnnotatedMethod;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.Transactions;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;

/** The calls of {@code @BloomPut} and {@code @BloomEvict} methods. */
public record WriteCalls(Transactions transactions) {

  private static final String TRANSACTIONAL =
      "org.springframework.transaction.annotation.Transactional";

  /** Adds before the method runs. */
  public MethodInterceptor put(List<WrittenKey> keys, Carrier carrier) {
    return put(keys, carrier, null);
  }

  private MethodInterceptor put(List<WrittenKey> keys, Carrier carrier, @Nullable String refusal) {
    return invocation ->
        carrier.around(
            transactions,
            context ->
                new PutCall(
                    new WriteCall.Run(transactions, keys, carrier, invocation, context), refusal),
            invocation);
  }

  /**
   * The runner that puts the calls of {@code method} into a transaction.
   *
   * @throws StartRefusedException if it is already known that no call can be in a transaction
   */
  public <B> B boundary(AnnotatedMethod<BloomPut> method, Function<String, B> boundaries) {
    Set<String> managers = new TreeSet<>();
    method.annotations().stream()
        .map(BloomPut::transactionManager)
        .filter(name -> !name.isEmpty())
        .forEach(managers::add);
    if (managers.isEmpty()) {
      method
          .other(TRANSACTIONAL)
          .map(found -> found.getString("transactionManager"))
          .filter(name -> !name.isEmpty())
          .ifPresent(managers::add);
    }
    method.refuseIf(
        managers.size() > 1,
        "names the transaction managers {}, but is one write",
        "Name one of them",
        managers);
    try {
      return boundaries.apply(managers.stream().findFirst().orElse(""));
    } catch (IllegalArgumentException e) {
      throw method.refuse(
          "takes its key after the call, inside a transaction, but {}",
          "Add or name the transaction manager of the written rows (transactionManager = \"...\","
              + " or @Transactional(\"...\")), or take the key from the parameters before the call",
          e.getMessage());
    }
  }

  /**
   * Adds keys that are known only after the method, inside the transaction and before its commit;
   * if there is no transaction, one is begun around the method.
   */
  public MethodInterceptor putAfter(
      List<WrittenKey> keys, Transactions.Boundary boundary, AnnotatedMethod<?> method) {
    String refusal =
        method.describe()
            + " takes its key after the call: without a transaction the row is visible by then. Add"
            + " @Transactional to the method or its caller, or take the key from the parameters"
            + " before the call";
    MethodInterceptor put = put(keys, DirectCarrier.DIRECT, refusal);
    return invocation -> boundary.<Object, Throwable>within(() -> put.invoke(invocation));
  }

  /** Puts keys that a publisher yields with its values, within a reactive transaction. */
  public MethodInterceptor publishAfter(
      List<WrittenKey> keys, Carrier carrier, UnaryOperator<Object> boundary) {
    MethodInterceptor put = put(keys, carrier);
    return invocation -> boundary.apply(Objects.requireNonNull(put.invoke(invocation)));
  }

  /**
   * Evicts once the method has deleted the row.
   *
   * @param told whether the method's result tells if it has deleted one
   */
  public MethodInterceptor evict(List<WrittenKey> keys, Carrier carrier, boolean told) {
    boolean publishes = carrier.publishes();
    return invocation -> {
      // Before the method, which may change the arguments that the keys are read from, and before
      // the row is deleted.
      try (Evictions evictions = Evictions.begin(keys)) {
        evictions.note(keys, false, invocation, null, !publishes);
        return carrier.around(
            transactions,
            context ->
                new EvictCall(
                    new WriteCall.Run(transactions, keys, carrier, invocation, context),
                    evictions,
                    told),
            invocation);
      }
    };
  }
}

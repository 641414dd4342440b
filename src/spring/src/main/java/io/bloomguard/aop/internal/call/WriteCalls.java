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
import java.util.stream.Collectors;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;

/** The calls of {@code @BloomPut} and {@code @BloomEvict} methods. */
public record WriteCalls(Transactions transactions) {

  private static final String TRANSACTIONAL =
      "org.springframework.transaction.annotation.Transactional";

  /**
   * Adds keys before the method runs, or those that are known only after it inside the transaction
   * and before its commit; if there is no transaction, one is begun around the method.
   *
   * @throws StartRefusedException if it is already known that no call can be in a transaction
   */
  public MethodInterceptor put(
      AnnotatedMethod<BloomPut> method, List<WrittenKey> keys, Carrier carrier) {
    if (keys.stream().noneMatch(WrittenKey::after)) {
      return put(keys, carrier, null);
    }
    if (carrier.publishes()) {
      UnaryOperator<Object> boundary = boundary(method, transactions::publisherBoundary);
      MethodInterceptor put = put(keys, carrier, null);
      return call -> boundary.apply(Objects.requireNonNull(put.invoke(call)));
    }
    Transactions.Boundary boundary = boundary(method, transactions::boundary);
    MethodInterceptor put =
        put(
            keys,
            carrier,
            method.describe()
                + " takes its key after the call: without a transaction the row is visible by then."
                + " Add @Transactional to the method or its caller, or take the key from the"
                + " parameters before the call");
    return call -> boundary.<Object, Throwable>within(() -> put.invoke(call));
  }

  private MethodInterceptor put(List<WrittenKey> keys, Carrier carrier, @Nullable String refusal) {
    return call ->
        carrier.around(
            transactions,
            context ->
                new PutCall(new WriteCall.Run(transactions, keys, carrier, call, context), refusal),
            call);
  }

  /** The runner that puts the calls of a method into a transaction. */
  private static <B> B boundary(AnnotatedMethod<BloomPut> method, Function<String, B> boundaries) {
    Set<String> managers =
        method.annotations().stream()
            .map(BloomPut::transactionManager)
            .filter(name -> !name.isEmpty())
            .collect(Collectors.toCollection(TreeSet::new));
    method.refuseIf(
        managers.size() > 1,
        "names the transaction managers {}, but is one write",
        "Name one of them",
        managers);
    String manager =
        managers.isEmpty()
            ? method
                .other(TRANSACTIONAL)
                .map(found -> found.getString("transactionManager"))
                .orElse("")
            : managers.iterator().next();
    try {
      return boundaries.apply(manager);
    } catch (IllegalArgumentException e) {
      throw method.refuse(
          "takes its key after the call, inside a transaction, but {}",
          "Add or name the transaction manager of the written rows (transactionManager = \"...\","
              + " or @Transactional(\"...\")), or take the key from the parameters before the call",
          e.getMessage());
    }
  }

  /**
   * Evicts once the method has deleted the row.
   *
   * @param told whether the method's result tells if it has deleted one
   */
  public MethodInterceptor evict(List<WrittenKey> keys, Carrier carrier, boolean told) {
    return invocation -> {
      // Before the method, which may change the arguments that the keys are read from, and before
      // the row is deleted.
      try (Evictions evictions = Evictions.begin(keys)) {
        evictions.note(keys, false, key -> key.of(invocation.getArguments(), null));
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

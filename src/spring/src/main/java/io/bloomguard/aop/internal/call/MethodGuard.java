package io.bloomguard.aop.internal.call;

import io.bloomguard.annotation.OnAbsent;
import io.bloomguard.guard.Finding;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.guard.internal.UnclearAnswer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The guard of one method, and the answers of its calls.
 *
 * <p>A key is absent by the filter's answer, by a null entry, or if the load finds nothing: the key
 * does not exist, so all three get the same answer. The keys of a blacklist exist: the answer for a
 * rejected key is separate from the method's own answers.
 *
 * @param refusal thrown for an absent key, or one on a blacklist, if the method asks for that
 * @param transactions those that its calls may be in
 */
public record MethodGuard(
    EntryGuard<Object> guard,
    Reject rejects,
    ReturnShape shape,
    OnAbsent onAbsent,
    RuntimeException refusal,
    Transactions transactions) {

  /**
   * The guard of one call.
   *
   * @param context that of a subscriber; null for the calling thread
   */
  EntryGuard<Object> guard(@Nullable Object context) {
    return context == null ? guard : guard.ofCall(context);
  }

  /** Whether an answer shows which of several keys exist; of a blacklist it shows nothing. */
  boolean tries() {
    return rejects == Reject.ABSENT
        && shape.doubt() == null
        && Map.class.isAssignableFrom(shape.raw());
  }

  Carrier carrier() {
    return shape.carrier();
  }

  /** Ends a trial by what the end of its call shows of the key; of a blacklist it shows nothing. */
  void judge(Pass<?> pass, @Nullable Object content, @Nullable Throwable failure) {
    if (pass.isTrial() && pass.ask().isSingle() && rejects == Reject.ABSENT) {
      pass.end(shape.findings().of(content, UnclearAnswer.shown(failure)));
    }
  }

  /**
   * Ends the trials of a call by the map that it answers. One that is unclear shows nothing, nor
   * does one that has other keys, such as the names of its parts.
   */
  <K> void judgeEach(Pass<K> pass, @Nullable Object content) {
    Map<@Nullable String, @Nullable Object> values = new HashMap<>();
    pass.keys().forEach(key -> values.put(guard.text(key), null));
    int asked = values.size();
    if (content instanceof Map<?, ?> map) {
      map.forEach((key, value) -> values.put(guard.text(key), value));
      if (values.size() == asked) {
        pass.endEach(key -> shape.findings().of(values.get(guard.text(key))));
        return;
      }
    }
    pass.end(Finding.UNCLEAR);
  }

  /** The answer for a value, or for none, without its carrier. */
  @Nullable Object answer(@Nullable Object found) {
    Object value = UnclearAnswer.content(found);
    return value == null || (onAbsent == OnAbsent.THROW && shape.readsAsNothing(value))
        ? rejected()
        : shape.wrap(value);
  }

  /** The answer for a key that the guard rejects, or that is absent, without its carrier. */
  @Nullable Object rejected() {
    return rejected(shape.empty());
  }

  /**
   * The answer for keys that the guard rejects, without its carrier.
   *
   * @param empty makes it, unless the method asks for an exception
   */
  @Nullable Object rejected(Supplier<? extends @Nullable Object> empty) {
    if (onAbsent == OnAbsent.THROW) {
      throw refusal;
    }
    return empty.get();
  }

  /**
   * The answer of a call that only decides; its pass is open until the answer has ended.
   *
   * @param rejected makes the content of the answer if no key goes on
   */
  @Nullable Object deciding(
      Function<EntryGuard<Object>, Ask<?>> ask,
      Supplier<? extends @Nullable Object> rejected,
      MethodInvocation invocation,
      DecidedRun.Continuation continuation)
      throws Throwable {
    return carrier()
        .around(
            transactions,
            context -> {
              EntryGuard<Object> asked = guard(context);
              CompletableFuture<? extends Pass<?>> pass =
                  carrier() == DirectCarrier.DIRECT
                      ? CompletableFuture.completedFuture(asked.ask(ask.apply(asked)))
                      : asked.askLater(ask.apply(asked));
              if (pass.isCompletedExceptionally()) {
                DirectCarrier.await(pass); // a caller learns at once of what is known at once
              }
              return new DecidedRun(pass, this, rejected, continuation);
            },
            invocation);
  }
}

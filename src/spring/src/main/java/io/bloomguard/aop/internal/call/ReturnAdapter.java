package io.bloomguard.aop.internal.call;

import io.bloomguard.annotation.OnAbsent;
import io.bloomguard.guard.KeyAbsentException;
import io.bloomguard.guard.KeyRejectedException;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.guard.internal.UnclearAnswer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The return values of one guarded method.
 *
 * <p>A key is absent by the filter's answer, by a null entry, or if the load finds nothing: the key
 * does not exist, so all three get the same answer. The keys of a blacklist exist: the answer for a
 * rejected key is separate from the method's own answers.
 *
 * @param absence thrown for an absent key, if the method asks for that
 * @param rejection likewise for a key on a blacklist
 */
public record ReturnAdapter(
    Reject rejects,
    ReturnShape shape,
    OnAbsent onAbsent,
    KeyAbsentException absence,
    KeyRejectedException rejection) {

  public ReturnAdapter(String filter, Reject rejects, ReturnShape shape, OnAbsent onAbsent) {
    this(
        rejects, shape, onAbsent, new KeyAbsentException(filter), new KeyRejectedException(filter));
  }

  /** Ends a trial by what the end of its call shows of the key; of a blacklist it shows nothing. */
  void judge(Pass<?> pass, @Nullable Object content, @Nullable Throwable failure) {
    if (pass.isTrial() && rejects == Reject.ABSENT) {
      pass.end(shape.findings().of(content, failure));
    }
  }

  /** The answer for a value, or for none, without its carrier. */
  @Nullable Object of(@Nullable Object answer) {
    Object value = UnclearAnswer.content(answer);
    return value == null || (onAbsent == OnAbsent.THROW && shape.readsAsNothing(value))
        ? absent()
        : shape.wrap(value);
  }

  @Nullable Object absent() {
    if (onAbsent == OnAbsent.THROW) {
      throw absence;
    }
    return shape.empty().get();
  }

  /** The answer for a key that the guard rejects, without its carrier. */
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
      throw rejects == Reject.PRESENT ? rejection : absence;
    }
    return empty.get();
  }

  /** Calls in code that cannot declare checked exceptions; they are thrown unwrapped. */
  static <T> @Nullable T calling(ValueLoader<T, Throwable> call) {
    try {
      return call.load();
    } catch (Throwable e) {
      throw sneaky(e);
    }
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // erased: throws e itself
  private static <X extends Throwable> RuntimeException sneaky(Throwable e) throws X {
    throw (X) e;
  }
}

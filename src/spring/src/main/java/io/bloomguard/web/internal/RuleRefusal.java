package io.bloomguard.web.internal;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.KeyAbsentException;
import io.bloomguard.guard.KeyRejectedException;
import io.bloomguard.guard.RequestShedException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a request that a rule does not let pass.
 *
 * @param retryAfter the time after which it may come again; null if that would not help
 */
public record RuleRefusal(Problem problem, @Nullable Duration retryAfter) {

  /**
   * An answer that stays the same.
   *
   * @param problem the answer
   */
  public RuleRefusal(Problem problem) {
    this(problem, null);
  }

  /**
   * {@return the time to wait in whole seconds, rounded up, at least 1, as {@code Retry-After} has
   * it}
   */
  public @Nullable String retryAfterSeconds() {
    Duration wait = retryAfter;
    return wait == null ? null : "" + Math.max(1, wait.plusNanos(999_999_999).toSeconds());
  }

  /**
   * {@return the answer to an exception of the guard, or to one that it caused, such as that of a
   * transaction}
   *
   * @param failure the exception, thrown again if none of the guard's is in it
   */
  public static RuleRefusal of(RuntimeException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      RuleRefusal refusal = ofItself(cause);
      if (refusal != null) {
        return refusal;
      }
    }
    throw failure;
  }

  private static @Nullable RuleRefusal ofItself(Throwable failure) {
    if (failure instanceof RequestShedException shed) {
      return new RuleRefusal(Problem.SHED, shed.retryAfter());
    }
    if (failure instanceof AddFailedException add) {
      return new RuleRefusal(Problem.NOT_ADDED, add.retryAfter());
    }
    Problem problem =
        failure instanceof InvalidKeyException
            ? Problem.INVALID
            : failure instanceof KeyAbsentException
                ? Problem.ABSENT
                : failure instanceof KeyRejectedException ? Problem.REJECTED : null;
    return problem == null ? null : new RuleRefusal(problem);
  }
}

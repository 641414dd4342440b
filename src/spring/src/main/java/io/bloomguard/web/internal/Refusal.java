package io.bloomguard.web.internal;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.guard.RequestShedException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a request that a rule does not let pass.
 *
 * @param retryAfter the time after which it may come again; null if that would not help
 */
public record Refusal(Problem problem, @Nullable Duration retryAfter) {

  /**
   * An answer that stays the same.
   *
   * @param problem the answer
   */
  public Refusal(Problem problem) {
    this(problem, null);
  }

  /** {@return the time to wait in whole seconds, at least 1, as {@code Retry-After} has it} */
  public @Nullable String retryAfterSeconds() {
    return retryAfter == null ? null : Problem.seconds(retryAfter);
  }

  /**
   * {@return the answer where a filter could not be asked}
   *
   * @param failure the failure of the question, thrown again if it is none of the guard's
   */
  public static Refusal of(RuntimeException failure) {
    if (failure instanceof RequestShedException shed) {
      return new Refusal(Problem.SHED, shed.retryAfter());
    }
    if (failure instanceof InvalidKeyException) {
      return new Refusal(Problem.INVALID);
    }
    throw failure;
  }
}

package io.bloomguard.guard.internal;

import io.bloomguard.guard.Failures;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An answer that shows nothing of its key, because the asked method itself has not returned it,
 * such as that of a fallback: handed to its caller, kept nowhere, and no verdict.
 *
 * @param <V> the type of the value
 * @param value what the caller gets; null for none
 */
public record UnclearAnswer<V>(@Nullable V value) {

  /**
   * {@return what the caller gets of an answer}
   *
   * @param <V> the type of the value
   * @param answer an unclear one, or the value itself
   */
  @SuppressWarnings("unchecked") // an unclear answer takes the place of one of its own type
  public static <V> @Nullable V content(@Nullable V answer) {
    return answer instanceof UnclearAnswer<?> unclear ? (V) unclear.value() : answer;
  }

  /**
   * {@return the failure that shows something of the key: that of the asked method itself}
   *
   * @param failure that of a load; null for none
   */
  public static @Nullable Throwable shown(@Nullable Throwable failure) {
    return failure != null && Failures.unwrapped(failure) instanceof Failure unclear
        ? Objects.requireNonNullElse(unclear.own, unclear)
        : failure;
  }

  /**
   * {@return what the caller gets of a failure}
   *
   * @param failure an unclear one, or the failure itself
   */
  public static Throwable content(Throwable failure) {
    return Failures.unwrapped(failure) instanceof Failure unclear ? unclear.thrown : failure;
  }

  /** A failure with which the asked method itself has not ended, such as that of a fallback. */
  @SuppressWarnings("serial") // never serialized
  public static final class Failure extends RuntimeException {

    private final Throwable thrown;
    private final @Nullable Throwable own;

    /**
     * An unclear failure.
     *
     * @param thrown what the caller gets
     * @param own that of the asked method; null if it has not failed
     */
    public Failure(Throwable thrown, @Nullable Throwable own) {
      super(null, null, false, false);
      this.thrown = thrown;
      this.own = own;
    }
  }

  /**
   * The answers of a batch, none of which shows anything of its key.
   *
   * @param <K> the type of the keys
   * @param <V> the type of the values
   */
  @SuppressWarnings("serial") // never serialized
  public static final class Batch<K, V> extends LinkedHashMap<K, V> {

    /**
     * Unclear answers.
     *
     * @param answers what the caller gets
     */
    public Batch(Map<? extends K, ? extends V> answers) {
      super(answers);
    }
  }
}

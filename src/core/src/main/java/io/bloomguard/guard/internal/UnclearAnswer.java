package io.bloomguard.guard.internal;

import java.util.LinkedHashMap;
import java.util.Map;
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

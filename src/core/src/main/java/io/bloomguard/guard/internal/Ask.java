package io.bloomguard.guard.internal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The question of one call: which of its keys go on.
 *
 * @param <K> the type of the keys
 * @param keys a string, integral number, UUID or enum constant each, or a list of these
 * @param loads whether the caller loads the keys that go on. A key that counts as rejected, and
 *     goes on because the filter observes or is disarmed, is then loaded in a place of the
 *     bulkhead; otherwise it goes on as it came.
 * @param tries whether the caller learns if the key exists, so that a rejected one may go on as a
 *     trial; for a single key
 */
public record Ask<K>(List<K> keys, boolean loads, boolean tries) {

  /**
   * {@return the question of a caller that passes one key on, such as a rule of a web application}
   *
   * @param <K> the type of the key
   * @param key the key; a null is refused as no key
   */
  public static <K> Ask<K> toPassOn(@Nullable K key) {
    return new Ask<>(single(key), false, false);
  }

  /**
   * {@return the question of a caller that loads one key}
   *
   * @param <K> the type of the key
   * @param key the key; a null is refused as no key
   */
  public static <K> Ask<K> toLoad(@Nullable K key) {
    return new Ask<>(single(key), true, false);
  }

  /**
   * {@return the question of a caller that loads the keys that go on}
   *
   * @param <K> the type of the keys
   * @param keys copied, because their owner may change the collection meanwhile
   */
  public static <K> Ask<K> toLoadAll(Collection<K> keys) {
    return new Ask<>(new ArrayList<>(keys), true, false);
  }

  /** {@return this question of a caller that ends the {@link Pass} by what it has found} */
  public Ask<K> tried() {
    return new Ask<>(keys, loads, true);
  }

  @SuppressWarnings("NullAway") // the guard refuses it
  private static <K> List<K> single(@Nullable K key) {
    return Collections.singletonList(key);
  }
}

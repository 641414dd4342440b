package io.bloomguard.guard.internal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The question of one call: which of its keys go on. One key stands for itself, without a list.
 *
 * @param <K> the type of the keys
 * @param key the single key: a string, integral number, UUID or enum constant, or a list of these
 * @param several the keys if they came as a list, and {@code key} is none; null for a single key
 * @param loads whether the caller loads the keys that go on. A key that counts as rejected, and
 *     goes on because the filter observes or is disarmed, is then loaded in a place of the
 *     bulkhead; otherwise it goes on as it came.
 * @param tries whether the caller learns if the key exists, so that a rejected one may go on as a
 *     trial
 */
public record Ask<K>(K key, @Nullable List<K> several, boolean loads, boolean tries) {

  /**
   * {@return the question of a caller that passes one key on, such as a rule of a web application}
   *
   * @param <K> the type of the key
   * @param key the key; a null is refused as no key
   */
  public static <K> Ask<K> toPassOn(@Nullable K key) {
    return of(key, null, false);
  }

  /**
   * {@return the question of a caller that loads one key}
   *
   * @param <K> the type of the key
   * @param key the key; a null is refused as no key
   */
  public static <K> Ask<K> toLoad(@Nullable K key) {
    return of(key, null, true);
  }

  /**
   * {@return the question of a caller that loads the keys that go on}
   *
   * @param <K> the type of the keys
   * @param keys copied, because their owner may change the collection meanwhile
   */
  public static <K> Ask<K> toLoadAll(Collection<K> keys) {
    List<K> copy = new ArrayList<>(keys);
    return copy.size() == 1 ? toLoad(copy.get(0)) : of(null, copy, true);
  }

  /** {@return this question of a caller that ends the {@link Pass} by what it has found} */
  public Ask<K> tried() {
    return new Ask<>(key, several, loads, true);
  }

  /** {@return this question, of some of its keys} */
  public Ask<K> of(List<K> keys) {
    return new Ask<>(key, keys, loads, tries);
  }

  /** {@return whether it is about one key, which {@link #key} is} */
  public boolean isSingle() {
    return several == null;
  }

  /** {@return the keys, in the order asked} */
  public List<K> keys() {
    return several == null ? Collections.singletonList(key) : several;
  }

  @SuppressWarnings("NullAway") // the guard refuses it
  private static <K> Ask<K> of(@Nullable K key, @Nullable List<K> several, boolean loads) {
    return new Ask<>(key, several, loads, false);
  }
}

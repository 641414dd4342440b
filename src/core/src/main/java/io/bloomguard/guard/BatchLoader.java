package io.bloomguard.guard;

import java.util.Map;
import java.util.Set;

/**
 * Reads the values of several keys at once; keys without a value are left out of the map.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 * @param <X> the exception that a load may throw
 */
@FunctionalInterface
public interface BatchLoader<K, V, X extends Throwable> {

  /**
   * {@return the values by key, without the keys that have none; never null} A key of the answer
   * may have another form than the one asked for, such as 42 as an {@code Integer} or as text.
   *
   * @param keys the keys to load, each once
   * @throws X if the values cannot be read
   */
  Map<K, V> load(Set<K> keys) throws X;
}

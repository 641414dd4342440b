package io.bloomguard.guard.internal.decision;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The values that a batch load found for its keys. */
final class FoundValues {

  private FoundValues() {}

  /**
   * The found values, in the order asked.
   *
   * @param loaded may lack keys, hold null, and hold keys that were not asked for; null for no
   *     values
   */
  static <K, V> Map<K, V> of(Collection<K> asked, @Nullable Map<K, V> loaded) {
    Map<K, V> found = new LinkedHashMap<>();
    if (loaded != null) {
      for (K key : asked) {
        V value = loaded.get(key);
        if (value != null) {
          found.put(key, value);
        }
      }
    }
    return found;
  }
}

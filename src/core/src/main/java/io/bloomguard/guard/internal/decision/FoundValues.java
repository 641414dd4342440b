package io.bloomguard.guard.internal.decision;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.internal.CanonicalKey;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The values that a batch load found for its keys, whatever the form of a key in its answer: a
 * database answers in its own spelling, and a driver in its own type of number.
 */
final class FoundValues {

  private FoundValues() {}

  /**
   * The found values, in the order asked, by the keys as they were asked for.
   *
   * @param loaded may lack keys, hold null, and hold keys that were not asked for
   * @param folding makes one text of the spellings of a canonical key
   * @throws IllegalStateException if there is no map, or a key without a value may be one of the
   *     map's whose type cannot be compared
   */
  static <K, V> Map<K, V> of(
      Collection<K> asked, @Nullable Map<K, V> loaded, UnaryOperator<String> folding) {
    if (loaded == null) {
      throw new IllegalStateException(
          "A batch load answered null in place of a map. It must answer the values by key, and an"
              + " empty map if no key has one");
    }
    Map<K, @Nullable V> found = new LinkedHashMap<>();
    asked.forEach(key -> found.put(key, under(key, loaded)));
    if (found.containsValue(null)) {
      complete(found, loaded, folding);
      found.values().removeIf(Objects::isNull);
    }
    @SuppressWarnings("NullAway") // its nulls are gone
    Map<K, V> values = found;
    return values;
  }

  private static <K, V> @Nullable V under(K key, Map<K, V> loaded) {
    try {
      return loaded.get(key);
    } catch (ClassCastException e) {
      return null; // a sorted map of another type
    }
  }

  /** Finds the values of the keys that the map holds in other forms. */
  private static <K, V> void complete(
      Map<K, @Nullable V> found, Map<K, V> loaded, UnaryOperator<String> folding) {
    Map<String, V> others = new HashMap<>();
    Class<?> foreign = null;
    for (Map.Entry<K, V> entry : loaded.entrySet()) {
      Object key = entry.getKey();
      if (key != null && entry.getValue() != null && !found.containsKey(key)) {
        String text = text(key, folding);
        if (text == null) {
          foreign = key.getClass();
        } else {
          others.putIfAbsent(text, entry.getValue());
        }
      }
    }
    for (Map.Entry<K, @Nullable V> entry : found.entrySet()) {
      if (entry.getValue() == null && !(others.isEmpty() && foreign == null)) {
        entry.setValue(others.get(text(entry.getKey(), folding)));
        if (entry.getValue() == null && foreign != null) {
          throw new IllegalStateException(
              ("A batch load answered a map with a key of type %s, which cannot be"
                      + " compared with the keys asked for. It must answer by the type of the"
                      + " keys that the loader was given")
                  .formatted(foreign.getTypeName()));
        }
      }
    }
  }

  /** The text under which a key is known; null for a value that cannot be a key. */
  static @Nullable String text(@Nullable Object key, UnaryOperator<String> folding) {
    try {
      return folding.apply(CanonicalKey.of(key));
    } catch (InvalidKeyException e) {
      return null;
    }
  }
}

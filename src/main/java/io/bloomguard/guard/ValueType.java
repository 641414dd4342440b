package io.bloomguard.guard;

import java.lang.reflect.Type;

/**
 * The declared type of a cached value, by which a remote cache reads it back.
 *
 * @param type the full generic type, such as {@code List<Product>}
 */
@SuppressWarnings("UnusedTypeParameter") // ties the type to the guard's values
public record ValueType<V>(Type type) {

  public static <V> ValueType<V> of(Class<V> type) {
    return new ValueType<>(type);
  }
}

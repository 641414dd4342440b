package io.bloomguard.guard;

import java.lang.reflect.Type;

/**
 * The declared type of a guard's values, by which a remote cache reads them back.
 *
 * @param <V> the type of the values
 * @param type the full generic type, such as {@code List<Product>}
 * @param shared whether values may be kept and handed to several callers; if not, null entries
 *     alone are kept and each caller loads for itself
 * @param findings what values show of their keys
 */
@SuppressWarnings("UnusedTypeParameter") // ties the type to the guard's values
public record ValueType<V>(Type type, boolean shared, Findings findings) {

  /**
   * A type whose values show that their keys exist.
   *
   * @param type the full generic type, such as {@code List<Product>}
   * @param shared whether values may be kept and handed to several callers
   */
  public ValueType(Type type, boolean shared) {
    this(type, shared, Findings.PLAIN);
  }

  /**
   * A type whose values are shared, unless one turns out to belong to one caller.
   *
   * @param type the full generic type, such as {@code List<Product>}
   */
  public ValueType(Type type) {
    this(type, true);
  }

  /**
   * {@return the type of a class without type arguments, whose values are shared}
   *
   * @param <V> the type of the values
   * @param type the class, such as {@code Product}
   */
  public static <V> ValueType<V> of(Class<V> type) {
    return new ValueType<>(type);
  }

  /** {@return the same type, whose values may be kept and shared} */
  public ValueType<V> shareable() {
    return shared ? this : new ValueType<>(type, true, findings);
  }

  /** {@return the same type, without keeping or sharing its values} */
  public ValueType<V> unshared() {
    return new ValueType<>(type, false, findings);
  }
}

package io.bloomguard.filter;

import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The one text under which a key is hashed, stored and compared, whatever its Java type.
 *
 * <p>Text stands for itself, integral numbers for their decimal form, a UUID for its lower-case
 * form, an enum constant for its name. Values with more than one spelling (floating point, dates,
 * collections) have no canonical form.
 */
public final class CanonicalKey {

  /** The version of this mapping, a part of every fingerprint. */
  public static final int VERSION = 1;

  private static final Set<Class<?>> EXACT =
      Set.of(
          byte.class,
          Byte.class,
          short.class,
          Short.class,
          int.class,
          Integer.class,
          long.class,
          Long.class,
          char.class,
          Character.class,
          UUID.class);

  private static final Set<Class<?>> MAYBE =
      Set.of(Object.class, Number.class, Comparable.class, Serializable.class);

  private CanonicalKey() {}

  /**
   * {@return the canonical form of {@code key}}
   *
   * @param key a key of any type; null has no canonical form
   * @throws InvalidKeyException if {@code key} is null or of a type without a canonical form
   */
  public static String of(@Nullable Object key) {
    if (key instanceof String text) {
      return text;
    }
    if (key instanceof CharSequence || key instanceof Character || key instanceof UUID) {
      return key.toString();
    }
    if (key instanceof Long
        || key instanceof Integer
        || key instanceof Short
        || key instanceof Byte
        || key instanceof BigInteger) {
      return key.toString();
    }
    if (key instanceof Enum<?> constant) {
      return constant.name();
    }
    if (key instanceof BigDecimal number) {
      if (number.scale() != 0) {
        throw new InvalidKeyException(
            "A BigDecimal key must be an integer of scale 0; this one has scale " + number.scale());
      }
      return number.unscaledValue().toString();
    }
    if (key == null) {
      throw new InvalidKeyException("A key must not be null");
    }
    throw new InvalidKeyException(
        "A key must be text, an integral number, a UUID or an enum constant; this one is a "
            + key.getClass().getName());
  }

  /**
   * {@return false if no value declared as {@code type} can have a canonical form} True is no
   * promise for types such as {@code Object} or {@code Number}, whose values decide.
   *
   * @param type the declared type of a key, primitive or not
   */
  public static boolean supports(Class<?> type) {
    return EXACT.contains(type)
        || MAYBE.contains(type)
        || CharSequence.class.isAssignableFrom(type)
        || BigInteger.class.isAssignableFrom(type)
        || BigDecimal.class.isAssignableFrom(type)
        || Enum.class.isAssignableFrom(type);
  }
}

package io.bloomguard.filter.internal;

import io.bloomguard.filter.InvalidKeyException;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The one text under which a key is hashed, stored and compared, whatever its Java type.
 *
 * <p>Text stands for itself, integral numbers for their decimal form, a UUID for its lower-case
 * form, an enum constant for its name. Values with more than one spelling (floating point, dates,
 * sets) have no canonical form.
 *
 * <p>A key of parts is a list of two or more of these: its parts in their order, joined by {@code
 * ':'}, with {@code "%25"} for each {@code '%'} of a part and {@code "%3A"} for each {@code ':'}.
 * So no two lists meet, SQL and other languages can write the same text, and parts without either
 * character stand for themselves.
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

  private static final char SEPARATOR = ':';
  private static final char ESCAPE = '%';

  private CanonicalKey() {}

  /**
   * {@return the canonical form of {@code key}}
   *
   * @param key a key of any type, or a list of its parts; null has no canonical form
   * @throws InvalidKeyException if {@code key} or a part is null or of a type without a canonical
   *     form
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
    if (key instanceof List<?> parts) {
      return ofParts(parts);
    }
    if (key == null) {
      throw new InvalidKeyException("A key must not be null");
    }
    throw new InvalidKeyException(
        "A key must be text, an integral number, a UUID, an enum constant or a list of such parts;"
            + " this one is a "
            + key.getClass().getName());
  }

  private static String ofParts(List<?> parts) {
    if (parts.size() < 2) {
      throw new InvalidKeyException(
          "A key of parts must have two or more; this one has " + parts.size());
    }
    StringBuilder text = new StringBuilder();
    for (Object part : parts) {
      if (part instanceof List) {
        throw new InvalidKeyException("A part of a key must be one value; this one is a list");
      }
      escape(of(part), text);
      text.append(SEPARATOR);
    }
    return text.substring(0, text.length() - 1);
  }

  private static void escape(String part, StringBuilder text) {
    for (int i = 0; i < part.length(); i++) {
      char c = part.charAt(i);
      if (c == ESCAPE) {
        text.append("%25");
      } else if (c == SEPARATOR) {
        text.append("%3A");
      } else {
        text.append(c);
      }
    }
  }

  /**
   * {@return whether a key has ASCII characters alone}
   *
   * @param canonical a canonical key
   */
  public static boolean isAscii(String canonical) {
    for (int i = 0; i < canonical.length(); i++) {
      if (canonical.charAt(i) >= 0x80) {
        return false;
      }
    }
    return true;
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

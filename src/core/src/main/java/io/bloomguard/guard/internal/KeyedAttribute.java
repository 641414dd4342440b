package io.bloomguard.guard.internal;

import java.lang.invoke.MethodType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The attribute of an entity whose stored form is a key of a filter.
 *
 * @param entity the entity's name, for messages
 * @param attribute the attribute, for messages: quoted, or its description
 * @param type the class of its values in Java
 * @param stored values of the attribute, each with the form that its column holds; empty if none
 *     can be compared
 * @param part whether it is one of several parts of the key
 * @param removes whether each deletion of a row is seen, and takes the key out of a filter that can
 *     remove keys
 * @param shared whether it is the id of another row, which several rows may name
 */
public record KeyedAttribute(
    String entity,
    String attribute,
    Class<?> type,
    Map<?, ?> stored,
    boolean part,
    boolean removes,
    boolean shared) {

  /** Values that a converter may change, each in its own way. */
  private static final Map<Class<?>, List<?>> SAMPLES =
      Map.ofEntries(
          Map.entry(String.class, List.of("7", "aB.c@D-e.org", " x ", "e\u0301")),
          Map.entry(Character.class, List.of('7', 'a', 'B')),
          Map.entry(Byte.class, List.of((byte) 7, (byte) 42)),
          Map.entry(Short.class, List.of((short) 7, (short) 42)),
          Map.entry(Integer.class, List.of(7, 42)),
          Map.entry(Long.class, List.of(7L, 42L)),
          Map.entry(BigInteger.class, List.of(BigInteger.valueOf(7), BigInteger.valueOf(42))),
          Map.entry(BigDecimal.class, List.of(BigDecimal.valueOf(7), BigDecimal.valueOf(42))),
          Map.entry(UUID.class, List.of(UUID.fromString("6f1c2d3e-4b5a-4978-8a9b-0c1d2e3f4a5b"))));

  /** {@return the same as a part of a key} */
  public KeyedAttribute asPart() {
    return new KeyedAttribute(entity, attribute, type, stored, true, removes, shared);
  }

  /**
   * {@return the description of a named attribute of rows whose deletions are not seen}
   *
   * @param entity the entity's name, for messages
   * @param attribute the attribute's name
   * @param type the class of its values, primitive or not
   * @param form the stored form of a value; throws for a value that it does not accept
   * @param part whether it is one of several parts of the key
   */
  public static KeyedAttribute of(
      String entity,
      String attribute,
      Class<?> type,
      Function<Object, @Nullable Object> form,
      boolean part) {
    Class<?> boxed = MethodType.methodType(type).wrap().returnType();
    Map<Object, Object> stored = samples(boxed, form);
    return new KeyedAttribute(entity, "'" + attribute + "'", boxed, stored, part, false, false);
  }

  /** Whether no value of its type could be converted, as by a converter that takes none of them. */
  boolean isUnknown() {
    Object[] constants = type.getEnumConstants();
    return stored.isEmpty()
        && (constants == null ? SAMPLES.containsKey(type) : constants.length > 0);
  }

  /**
   * {@return values of a type, each with its stored form; empty for a type whose values are no
   * keys, so that no lookup has them}
   *
   * @param type a class, not primitive
   * @param form the stored form of a value; throws for a value that it does not accept
   */
  public static Map<Object, Object> samples(
      Class<?> type, Function<Object, @Nullable Object> form) {
    Object[] constants = type.getEnumConstants();
    List<?> values = constants == null ? SAMPLES.getOrDefault(type, List.of()) : List.of(constants);
    Map<Object, Object> samples = new LinkedHashMap<>();
    for (Object value : values) {
      try {
        Object stored = form.apply(value);
        if (stored != null) {
          samples.put(value, stored);
        }
      } catch (RuntimeException e) {
        continue; // no value of this converter
      }
    }
    return Collections.unmodifiableMap(samples);
  }
}

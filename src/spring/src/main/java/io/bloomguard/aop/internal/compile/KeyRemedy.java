package io.bloomguard.aop.internal.compile;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.aop.internal.call.CompiledKey;
import io.bloomguard.aop.internal.method.AnnotatedMethod;
import io.bloomguard.aop.internal.method.EmptyValues;
import io.bloomguard.aop.internal.method.PropertyPath;
import io.bloomguard.filter.internal.CanonicalKey;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** The remedy for an expression that yields no key: expressions of the values within, as keys. */
final class KeyRemedy {

  private static final String KEY = "A key is text, an integral number, a UUID or an enum constant";

  /** The steps of the longest path: a record may hold records of its own type. */
  private static final int DEEP = 4;

  private static final String IN_SOURCE = ". The source's query selects the same form";

  private KeyRemedy() {}

  /**
   * The remedy for a key, or an element of several keys, of a type that cannot be one.
   *
   * @param part whether it is a part of a list
   */
  static String of(AnnotatedMethod<?> method, CompiledKey key, Class<?> type, boolean part) {
    if (type == Optional.class) {
      return "Name the value within: " + key.names() + ".orElse(null)";
    }
    if (Collection.class.isAssignableFrom(type)) {
      return KEY + ", or one collection of these";
    }
    if (!KeyCompiler.PATH.matcher(key.names()).matches() || isFraction(type)) {
      return KEY + ", or a list of such parts";
    }
    if (!key.plural()) {
      List<String> values = values(key.names(), type);
      return (values.size() == 1 || part ? KEY + ": " : KEY + ", or a list of such parts: ")
          + (part ? String.join(", ", values) : listed(values))
          + form(values);
    }
    if (method.type() == BloomGuarded.class) {
      List<String> values = values("#key", type);
      return KEY
          + ", and so is each of several. "
          + (values.size() == 1
              ? "Pass a collection of their values, each as " + values.get(0) + form(values)
              : "Take one key: %s%s, or call BloomGuard.getAll with a list of the parts of each key"
                  .formatted(listed(values), form(values)));
    }
    List<String> values = values("", type);
    return KEY + ": " + key.names() + ".![" + listed(values) + "]" + form(values);
  }

  /** The parts of a value of several, for a list. */
  static String parts(String path, Class<?> type) {
    return String.join(", ", values(path, type));
  }

  private static String listed(List<String> values) {
    return values.size() == 1 ? values.get(0) : "{" + String.join(", ", values) + "}";
  }

  private static String form(List<String> values) {
    return values.stream().anyMatch(v -> v.endsWith("toString()") || v.endsWith("time"))
        ? IN_SOURCE
        : "";
  }

  /** The expressions of the values of a type that may be keys or parts of one. */
  private static List<String> values(String path, Class<?> type) {
    List<String> values = within(path, type).toList();
    return values.isEmpty() ? List.of(path(path, "toString()")) : values;
  }

  private static Stream<String> within(String path, Class<?> type) {
    if (Date.class.isAssignableFrom(type)) {
      return Stream.of(path(path, "time"));
    }
    if (type.getName().startsWith("java.") || type.isPrimitive()) {
      return Stream.empty(); // no value of it is one of its properties
    }
    Collection<String> names =
        type.isRecord()
            ? Arrays.stream(type.getRecordComponents()).map(RecordComponent::getName).toList()
            : PropertyPath.properties(type);
    return names.stream().flatMap(name -> property(path(path, name), type, name));
  }

  private static Stream<String> property(String path, Class<?> owner, String name) {
    PropertyPath property = PropertyPath.compile(ResolvableType.forClass(owner), List.of(name));
    Class<?> type = property == null ? Object.class : property.type().resolve(Object.class);
    if (CanonicalKey.supports(type)) {
      return Stream.of(path);
    }
    if (type == Optional.class) {
      return Stream.of(path(path, "orElse(null)"));
    }
    if (EmptyValues.isContainer(type) || isFraction(type) || path.split("\\.", -1).length > DEEP) {
      return Stream.empty();
    }
    return type.isRecord() || Date.class.isAssignableFrom(type)
        ? within(path, type)
        : Stream.of(path(path, "toString()"));
  }

  private static String path(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  /** Whether a number has several texts, none of which is the source's for certain. */
  private static boolean isFraction(Class<?> type) {
    Class<?> boxed = ClassUtils.resolvePrimitiveIfNecessary(type);
    return boxed == Double.class || boxed == Float.class;
  }
}

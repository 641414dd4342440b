package io.bloomguard.aop.internal.compile;

import io.bloomguard.annotation.BloomKey;
import java.lang.reflect.AnnotatedElement;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** The rows that a lookup answers for one key, and whether their writes evict that key. */
final class KeyedRows {

  private KeyedRows() {}

  /** Whether a container is one row, by the names of its columns, or one text or blob. */
  static boolean isOne(ResolvableType container) {
    Class<?> type = container.resolve(Object.class);
    ResolvableType map = container.as(Map.class);
    return type == byte[].class
        || type == char[].class
        || (map.resolveGeneric(0) == String.class && map.resolveGeneric(1) == Object.class);
  }

  /** The class of the rows in a collection, map or array. */
  static Class<?> of(ResolvableType rows) {
    return rows.isArray()
        ? rows.getComponentType().resolve(Object.class)
        : rows.getGeneric(Math.max(0, rows.getGenerics().length - 1)).resolve(Object.class);
  }

  /** Whether a class has a {@link BloomKey} of a filter. */
  static boolean evict(@Nullable Class<?> type, String filter) {
    return type != null
        && (Stream.of(
                    Stream.of(type),
                    Arrays.stream(type.getDeclaredFields()),
                    Arrays.stream(type.getDeclaredMethods()))
                .flatMap(elements -> elements)
                .anyMatch(element -> names(element, filter))
            || evict(type.getSuperclass(), filter));
  }

  private static boolean names(AnnotatedElement element, String filter) {
    return MergedAnnotations.from(element, SearchStrategy.DIRECT).stream(BloomKey.class)
        .anyMatch(key -> key.getString("filter").equals(filter));
  }
}

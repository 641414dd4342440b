package io.bloomguard.aop.internal.method;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.core.CollectionFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The empty value of each type: unmodifiable if the type is an interface, null for most types. */
public final class EmptyValues {

  private static final Map<Class<?>, Object> SHARED =
      Map.ofEntries(
          Map.entry(Optional.class, Optional.empty()),
          Map.entry(Iterable.class, Collections.emptyList()),
          Map.entry(Collection.class, Collections.emptyList()),
          Map.entry(List.class, Collections.emptyList()),
          Map.entry(Set.class, Collections.emptySet()),
          Map.entry(SortedSet.class, Collections.emptyNavigableSet()),
          Map.entry(NavigableSet.class, Collections.emptyNavigableSet()),
          Map.entry(Map.class, Collections.emptyMap()),
          Map.entry(SortedMap.class, Collections.emptyNavigableMap()),
          Map.entry(NavigableMap.class, Collections.emptyNavigableMap()));

  /** The makers of empty values, by type. */
  private static final Map<String, String> LIBRARIES =
      Map.of("io.vavr.control.Option", "none", "com.google.common.base.Optional", "absent");

  private EmptyValues() {}

  /**
   * The empty value of {@code type}.
   *
   * @throws IllegalArgumentException if a collection of that type cannot be made
   */
  public static Supplier<@Nullable Object> of(Class<?> type) {
    Object shared =
        type.isArray()
            ? Array.newInstance(type.getComponentType(), 0)
            : SHARED.getOrDefault(type, ofLibrary(type));
    if (shared != null) {
      return () -> shared;
    }
    if (!isContainer(type)) {
      return () -> null;
    }
    if (type.isInterface()) {
      Supplier<@Nullable Object> made =
          Map.class.isAssignableFrom(type)
              ? () -> CollectionFactory.createMap(type, 0)
              : () -> CollectionFactory.createCollection(type, 0);
      if (type.isInstance(made.get())) {
        return made;
      }
      throw new IllegalArgumentException("has no known empty value");
    }
    Constructor<?> constructor = BeanUtils.getResolvableConstructor(type);
    if (constructor.getParameterCount() != 0) {
      throw new IllegalArgumentException("has no constructor without parameters");
    }
    return () -> BeanUtils.instantiateClass(constructor);
  }

  /**
   * The empty value of a container of a library that may be absent: an option, or a collection of
   * its own; null for other types.
   */
  public static @Nullable Object ofLibrary(Class<?> type) {
    String maker = LIBRARIES.get(type.getName());
    if (maker == null && type.getName().startsWith("io.vavr.collection.")) {
      maker = "empty";
    }
    Method method = maker == null ? null : ClassUtils.getMethodIfAvailable(type, maker);
    return method == null ? null : ReflectionUtils.invokeMethod(method, null);
  }

  /** Whether values of {@code type} can be empty. */
  public static boolean isContainer(Class<?> type) {
    return type.isArray()
        || type == Iterable.class
        || Collection.class.isAssignableFrom(type)
        || Map.class.isAssignableFrom(type);
  }
}

package io.bloomguard.aop.internal.method;

import io.bloomguard.guard.StartRefusedException;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.core.CollectionFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The empty value of each type: unmodifiable if the type is an interface, null for most types. */
public final class EmptyValues {

  /** The first of these that a type has is its empty value. */
  private static final List<Object> SHARED =
      List.of(
          Optional.empty(),
          Collections.emptyList(),
          Collections.emptySet(),
          Collections.emptyMap(),
          Collections.emptyNavigableSet(),
          Collections.emptyNavigableMap());

  /** The makers of empty values, by type. */
  private static final Map<String, String> LIBRARIES =
      Map.of("io.vavr.control.Option", "none", "com.google.common.base.Optional", "absent");

  private EmptyValues() {}

  /**
   * The empty value of {@code type}.
   *
   * @param problem what the method does, for {@code {}} the type, if none can be made
   * @throws StartRefusedException if a collection of that type cannot be made
   */
  public static Supplier<@Nullable Object> of(
      AnnotatedMethod<?> method, Class<?> type, String problem, String action) {
    try {
      return of(type);
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw method.refuse(problem, action, type.getTypeName());
    }
  }

  private static Supplier<@Nullable Object> of(Class<?> type) {
    Object single =
        type.isArray() ? Array.newInstance(type.getComponentType(), 0) : ofLibrary(type);
    if (single != null || !(isContainer(type) || type == Optional.class)) {
      return () -> single;
    }
    Optional<Object> shared = SHARED.stream().filter(type::isInstance).findFirst();
    if (shared.isPresent()) {
      return shared::get;
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

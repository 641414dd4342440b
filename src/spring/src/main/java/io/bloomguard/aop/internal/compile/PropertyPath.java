package io.bloomguard.aop.internal.compile;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** A chain of properties (record components, getters, public fields) read by method handles. */
final class PropertyPath {

  private static final MethodType ACCESSOR = MethodType.methodType(Object.class, Object.class);

  /** What Kotlin writes before the hash in the name of a getter of a value class. */
  private static final char MANGLED = '-';

  private final MethodHandle[] accessors;
  private final ResolvableType type;

  private PropertyPath(MethodHandle[] accessors, ResolvableType type) {
    this.accessors = accessors;
    this.type = type;
  }

  /**
   * Compiles the path from a value of type {@code root}; null if the type of a step is known only
   * at run time.
   *
   * @throws IllegalArgumentException if a type on the way has no such property
   */
  static @Nullable PropertyPath compile(ResolvableType root, List<String> names) {
    List<MethodHandle> accessors = new ArrayList<>();
    ResolvableType type = root;
    for (int i = 0; i < names.size(); i++) {
      Class<?> owner = type.resolve(Object.class);
      if (owner == Object.class) {
        return null;
      }
      String name = names.get(i);
      try {
        Method getter = getter(owner, name);
        if (getter != null) {
          accessors.add(accessor(getter));
          type = type(getter, type);
          continue;
        }
        Field field = field(owner, name);
        if (field == null && i > 0 && isMangled(getter(root, names.subList(0, i)))) {
          throw new IllegalArgumentException(
              "names '"
                  + name
                  + "' within a Kotlin value class, which is the value itself, by the path ["
                  + String.join(".", names.subList(0, i))
                  + "]");
        }
        if (field == null) {
          throw new IllegalArgumentException(
              "names '"
                  + name
                  + "', but "
                  + owner.getTypeName()
                  + " has the properties "
                  + properties(owner));
        }
        field.setAccessible(true);
        accessors.add(MethodHandles.lookup().unreflectGetter(field).asType(ACCESSOR));
        type = ResolvableType.forField(field, type.as(field.getDeclaringClass()));
      } catch (IllegalAccessException | RuntimeException e) {
        if (e instanceof IllegalArgumentException unknown) {
          throw unknown;
        }
        throw new IllegalArgumentException(
            "names '" + name + "', which cannot be read on " + owner.getTypeName(), e);
      }
    }
    Method unboxing = unboxing(type.resolve(Object.class));
    if (unboxing != null) {
      accessors.add(accessor(unboxing));
      type = type(unboxing, type);
    }
    return new PropertyPath(accessors.toArray(MethodHandle[]::new), type);
  }

  private static MethodHandle accessor(Method getter) {
    getter.setAccessible(true);
    try {
      return MethodHandles.lookup().unreflect(getter).asType(ACCESSOR);
    } catch (IllegalAccessException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static ResolvableType type(Method getter, ResolvableType owner) {
    return ResolvableType.forType(
        getter.getGenericReturnType(), owner.as(getter.getDeclaringClass()));
  }

  /** Whether a type is a Kotlin value class, whose values are objects only where they must be. */
  static boolean isBoxed(Class<?> type) {
    return unboxing(type) != null;
  }

  private static @Nullable Method unboxing(Class<?> type) {
    return ClassUtils.getMethodIfAvailable(type, "unbox-impl");
  }

  /** Whether a step of a path, or its end, is of a Kotlin value class, which SpEL cannot read. */
  static boolean leavesSpel(ResolvableType root, List<String> names) {
    return IntStream.rangeClosed(1, names.size())
        .anyMatch(end -> isMangled(getter(root, names.subList(0, end))));
  }

  private static boolean isMangled(@Nullable Method getter) {
    return getter != null && getter.getName().indexOf(MANGLED) >= 0;
  }

  /** The getter at the end of a path; null if there is none. */
  private static @Nullable Method getter(ResolvableType root, List<String> names) {
    ResolvableType type = root;
    Method getter = null;
    for (String name : names) {
      getter = getter(type.resolve(Object.class), name);
      if (getter == null) {
        return null;
      }
      type = type(getter, type);
    }
    return getter;
  }

  /** The path of a field, of any visibility. */
  static PropertyPath of(Field field, ResolvableType owner) {
    field.setAccessible(true);
    try {
      MethodHandle accessor = MethodHandles.lookup().unreflectGetter(field).asType(ACCESSOR);
      return new PropertyPath(
          new MethodHandle[] {accessor},
          ResolvableType.forField(field, owner.as(field.getDeclaringClass())));
    } catch (IllegalAccessException e) {
      throw new IllegalArgumentException(e);
    }
  }

  ResolvableType type() {
    return type;
  }

  /** The value at the end of the path; null as soon as a step yields null. */
  @Nullable Object read(@Nullable Object root) {
    Object value = root;
    for (MethodHandle accessor : accessors) {
      if (value == null) {
        return null;
      }
      try {
        value = (Object) accessor.invokeExact(value);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IllegalStateException("A property of the key could not be read", e);
      }
    }
    return value;
  }

  private static @Nullable Method getter(Class<?> owner, String name) {
    String suffix = StringUtils.capitalize(name);
    Method is = null;
    Method component = null;
    for (Method method : owner.getMethods()) {
      if (!readable(method)) {
        continue;
      }
      if (unmangled(method).equals("get" + suffix)) {
        return method;
      }
      if (method.getName().equals("is" + suffix) && method.getReturnType() == boolean.class) {
        is = method;
      }
      if (owner.isRecord() && method.getName().equals(name) && isComponent(owner, name)) {
        component = method;
      }
    }
    return component != null ? component : is;
  }

  private static String unmangled(Method getter) {
    String name = getter.getName();
    int hash = name.indexOf(MANGLED);
    return hash < 0 ? name : name.substring(0, hash);
  }

  private static boolean readable(Method method) {
    return method.getParameterCount() == 0
        && method.getReturnType() != void.class
        && !method.isBridge()
        && !Modifier.isStatic(method.getModifiers());
  }

  private static boolean isComponent(Class<?> owner, String name) {
    return Arrays.stream(owner.getRecordComponents()).anyMatch(c -> c.getName().equals(name));
  }

  private static @Nullable Field field(Class<?> owner, String name) {
    return Arrays.stream(owner.getFields())
        .filter(f -> f.getName().equals(name) && !Modifier.isStatic(f.getModifiers()))
        .findFirst()
        .orElse(null);
  }

  /** The names of the properties of {@code owner}. */
  static Set<String> properties(Class<?> owner) {
    Set<String> names = new TreeSet<>();
    for (Method method : owner.getMethods()) {
      String name = unmangled(method);
      if (!readable(method) || method.getDeclaringClass() == Object.class) {
        continue;
      }
      if (owner.isRecord() && isComponent(owner, name)) {
        names.add(name);
      } else if (name.startsWith("get") && name.length() > 3) {
        names.add(StringUtils.uncapitalizeAsProperty(name.substring(3)));
      } else if (name.startsWith("is")
          && name.length() > 2
          && method.getReturnType() == boolean.class) {
        names.add(StringUtils.uncapitalizeAsProperty(name.substring(2)));
      }
    }
    for (Field field : owner.getFields()) {
      if (!Modifier.isStatic(field.getModifiers())) {
        names.add(field.getName());
      }
    }
    return names;
  }
}

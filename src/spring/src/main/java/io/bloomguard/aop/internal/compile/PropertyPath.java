package io.bloomguard.aop.internal.compile;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.StringUtils;

/** A chain of properties (record components, getters, public fields) read by method handles. */
final class PropertyPath {

  private static final MethodType ACCESSOR = MethodType.methodType(Object.class, Object.class);

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
    MethodHandle[] accessors = new MethodHandle[names.size()];
    ResolvableType type = root;
    for (int i = 0; i < accessors.length; i++) {
      Class<?> owner = type.resolve(Object.class);
      if (owner == Object.class) {
        return null;
      }
      String name = names.get(i);
      try {
        Method getter = getter(owner, name);
        if (getter != null) {
          getter.setAccessible(true);
          accessors[i] = MethodHandles.lookup().unreflect(getter).asType(ACCESSOR);
          type =
              ResolvableType.forType(
                  getter.getGenericReturnType(), type.as(getter.getDeclaringClass()));
          continue;
        }
        Field field = field(owner, name);
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
        accessors[i] = MethodHandles.lookup().unreflectGetter(field).asType(ACCESSOR);
        type = ResolvableType.forField(field, type.as(field.getDeclaringClass()));
      } catch (IllegalAccessException | RuntimeException e) {
        if (e instanceof IllegalArgumentException unknown) {
          throw unknown;
        }
        throw new IllegalArgumentException(
            "names '" + name + "', which cannot be read on " + owner.getTypeName(), e);
      }
    }
    return new PropertyPath(accessors, type);
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
      if (method.getName().equals("get" + suffix)) {
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
      String name = method.getName();
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

package io.bloomguard.aop.internal.method;

import java.beans.PropertyDescriptor;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** A chain of properties (record components, getters, public fields) read by method handles. */
public record PropertyPath(MethodHandle[] accessors, ResolvableType type) {

  private static final MethodType ACCESSOR = MethodType.methodType(Object.class, Object.class);

  /** What Kotlin writes before the hash in the name of a getter of a value class. */
  private static final char MANGLED = '-';

  /**
   * Compiles the path from a value of type {@code root}; null if the type of a step is known only
   * at run time.
   *
   * @throws IllegalArgumentException if a type on the way has no such property
   */
  public static @Nullable PropertyPath compile(ResolvableType root, List<String> names) {
    List<MethodHandle> accessors = new ArrayList<>();
    ResolvableType type = root;
    Member member = null;
    for (String name : names) {
      Class<?> owner = type.resolve(Object.class);
      if (owner == Object.class) {
        return null;
      }
      boolean inValueClass = isMangled(member);
      member = member(owner, name);
      if (member == null) {
        throw new IllegalArgumentException(
            inValueClass
                ? "names '%s' within a Kotlin value class, which is the value itself, by the path [%s]"
                    .formatted(name, String.join(".", names.subList(0, accessors.size())))
                : "names '%s', but %s has the properties %s"
                    .formatted(name, owner.getTypeName(), properties(owner)));
      }
      accessors.add(accessor(member, owner));
      type = type(member, type);
    }
    Method unboxing = unboxing(type.resolve(Object.class));
    if (unboxing != null) {
      accessors.add(accessor(unboxing, type.resolve(Object.class)));
      type = type(unboxing, type);
    }
    return new PropertyPath(accessors.toArray(MethodHandle[]::new), type);
  }

  /** The path of a field, of any visibility. */
  public static PropertyPath of(Field field, ResolvableType owner) {
    return new PropertyPath(
        new MethodHandle[] {accessor(field, owner.resolve(Object.class))}, type(field, owner));
  }

  private static MethodHandle accessor(Member member, Class<?> owner) {
    try {
      ((AccessibleObject) member).setAccessible(true);
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      return (member instanceof Method getter
              ? lookup.unreflect(getter)
              : lookup.unreflectGetter((Field) member))
          .asType(ACCESSOR);
    } catch (IllegalAccessException | RuntimeException e) {
      throw new IllegalArgumentException(
          "names '" + member.getName() + "', which cannot be read on " + owner.getTypeName(), e);
    }
  }

  /** The type of a property of {@code owner}. */
  public static ResolvableType type(Member member, ResolvableType owner) {
    ResolvableType declaring = owner.as(member.getDeclaringClass());
    return member instanceof Method getter
        ? ResolvableType.forType(getter.getGenericReturnType(), declaring)
        : ResolvableType.forField((Field) member, declaring);
  }

  /** Whether a type is a Kotlin value class, whose values are objects only where they must be. */
  public static boolean isBoxed(Class<?> type) {
    return unboxing(type) != null;
  }

  /**
   * What reads the value within one of a Kotlin value class; null for another class, and for an
   * unsigned number, whose value is a signed one.
   */
  public static @Nullable Method unboxing(Class<?> type) {
    return type.getName().startsWith("kotlin.U")
        ? null
        : ClassUtils.getMethodIfAvailable(type, "unbox-impl");
  }

  /** Whether a step of a path, or its end, is of a Kotlin value class, which SpEL cannot read. */
  public static boolean leavesSpel(ResolvableType root, List<String> names) {
    ResolvableType type = root;
    for (String name : names) {
      Member member = member(type.resolve(Object.class), name);
      if (member == null || isMangled(member)) {
        return member != null;
      }
      type = type(member, type);
    }
    return false;
  }

  private static boolean isMangled(@Nullable Member member) {
    return member != null && member.getName().indexOf(MANGLED) >= 0;
  }

  /** The value at the end of the path; null as soon as a step yields null. */
  public @Nullable Object read(@Nullable Object root) {
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

  private static @Nullable Member member(Class<?> owner, String name) {
    Map<String, Member> members = members(owner);
    Member exact = members.get(name);
    return exact != null
        ? exact
        : members.get(StringUtils.uncapitalizeAsProperty(StringUtils.capitalize(name)));
  }

  /** The names of the properties of {@code owner}. */
  public static Set<String> properties(Class<?> owner) {
    Set<String> names = members(owner).keySet();
    names.remove("class");
    return names;
  }

  /** The properties of a class: getters, components of a record, and public fields. */
  public static Map<String, Member> members(Class<?> owner) {
    Map<String, Member> members = new TreeMap<>();
    if (owner.isRecord()) {
      for (RecordComponent component : owner.getRecordComponents()) {
        members.put(component.getName(), component.getAccessor());
      }
    }
    for (PropertyDescriptor property : BeanUtils.getPropertyDescriptors(owner)) {
      Method getter = property.getReadMethod();
      if (getter != null && !Modifier.isStatic(getter.getModifiers())) {
        members.putIfAbsent(property.getName().replaceFirst(MANGLED + ".*", ""), getter);
      }
    }
    Arrays.stream(owner.getFields())
        .filter(field -> !Modifier.isStatic(field.getModifiers()))
        .forEach(field -> members.putIfAbsent(field.getName(), field));
    return members;
  }
}

package io.bloomguard.guard.internal;

import io.bloomguard.guard.OwnedTypes;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Looks for instances of {@link OwnedTypes} in values: the value itself, and the content of an
 * {@code Optional}, collection, map, array or record.
 *
 * <p>The search goes down to {@link #DEPTH} in a declared type, and one level deep in a value.
 */
public final class OwnedValues {

  /**
   * The depth of the search in declared types. It ends the search in a record that contains itself.
   */
  private static final int DEPTH = 3;

  private final Supplier<? extends OwnedTypes> types;

  private final ClassValue<Look> looks =
      new ClassValue<>() {
        @Override
        protected Look computeValue(Class<?> type) {
          return new Look(found(type), openComponents(type));
        }
      };

  /**
   * A search for the types of an application.
   *
   * @param types called at the first search, not before
   */
  public OwnedValues(Supplier<? extends OwnedTypes> types) {
    this.types = types;
  }

  /**
   * {@return the reason why values of a declared type belong to one caller, as a clause; null if
   * they need not}
   *
   * @param declared the declared type of a value, with its type arguments
   */
  public @Nullable String reasonOfType(Type declared) {
    return look(declared, DEPTH, this::found);
  }

  /**
   * {@return the reason why values of a declared type belong to one tenant, as a clause; null if
   * they do not}
   *
   * @param declared the declared type of a value, with its type arguments
   */
  public @Nullable String tenantOfType(Type declared) {
    return look(declared, DEPTH, type -> clause(type, types.get().tenant(type)));
  }

  /**
   * {@return the reason why callers of one tenant find different values of a declared type, as a
   * clause; null if they do not}
   *
   * @param declared the declared type of a value, with its type arguments
   */
  public @Nullable String callerOfType(Type declared) {
    return look(declared, DEPTH, type -> clause(type, types.get().caller(type)));
  }

  private static @Nullable String look(
      Type declared, int depth, Function<Class<?>, @Nullable String> at) {
    if (declared instanceof Class<?> type) {
      String reason = type.isPrimitive() ? null : at.apply(type);
      return reason != null || depth == 0
          ? reason
          : first(inside(type), part -> look(part, depth - 1, at));
    }
    if (depth == 0) {
      return null;
    }
    if (declared instanceof ParameterizedType generic) {
      String reason = look(generic.getRawType(), depth, at);
      return reason != null
          ? reason
          : first(
              Arrays.stream(generic.getActualTypeArguments()), part -> look(part, depth - 1, at));
    }
    if (declared instanceof GenericArrayType array) {
      return look(array.getGenericComponentType(), depth - 1, at);
    }
    if (declared instanceof WildcardType wildcard) {
      return first(Arrays.stream(wildcard.getUpperBounds()), part -> look(part, depth, at));
    }
    return declared instanceof TypeVariable<?> variable
        ? first(Arrays.stream(variable.getBounds()), part -> look(part, depth - 1, at))
        : null;
  }

  private static Stream<Type> inside(Class<?> type) {
    if (type.isArray()) {
      return Stream.of(type.getComponentType());
    }
    return type.isRecord()
        ? Arrays.stream(type.getRecordComponents()).map(RecordComponent::getGenericType)
        : Stream.empty();
  }

  /**
   * {@return the reason why {@code value} belongs to one caller, as a clause; null if it may be
   * shared}
   *
   * @param value a value that a load has returned
   */
  public @Nullable String reasonOfValue(Object value) {
    Look look = looks.get(value.getClass());
    if (look.reason() != null) {
      return look.reason();
    }
    return first(content(value, look), this::itself);
  }

  private static Stream<?> content(Object value, Look look) {
    if (value instanceof Collection<?> elements) {
      return elements.stream();
    }
    if (value instanceof Map<?, ?> entries) {
      return Stream.concat(entries.keySet().stream(), entries.values().stream());
    }
    if (value instanceof Object[] elements) {
      return Arrays.stream(elements);
    }
    return value instanceof Optional<?> optional
        ? optional.stream()
        : look.components().stream().map(component -> read(component, value));
  }

  private @Nullable String itself(@Nullable Object element) {
    return element == null ? null : looks.get(element.getClass()).reason();
  }

  private @Nullable String found(Class<?> type) {
    return clause(type, types.get().reason(type));
  }

  private static @Nullable String clause(Class<?> type, @Nullable String predicate) {
    return predicate == null ? null : type.getTypeName() + " " + predicate;
  }

  /** The components of a record whose values may be of a class other than declared. */
  private static List<Method> openComponents(Class<?> type) {
    if (!type.isRecord()) {
      return List.of();
    }
    return Arrays.stream(type.getRecordComponents())
        .filter(component -> !Modifier.isFinal(component.getType().getModifiers()))
        .map(RecordComponent::getAccessor)
        .filter(OwnedValues::accessible)
        .toList();
  }

  private static boolean accessible(Method accessor) {
    try {
      accessor.setAccessible(true);
      return true;
    } catch (InaccessibleObjectException e) {
      return false;
    }
  }

  private static @Nullable Object read(Method component, Object holder) {
    try {
      return component.invoke(holder);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  private static <T> @Nullable String first(
      Stream<? extends T> parts, Function<T, @Nullable String> look) {
    return parts.map(look).filter(Objects::nonNull).findFirst().orElse(null);
  }

  /**
   * The knowledge of a class.
   *
   * @param reason the reason why its instances belong to one caller; null if there is none
   * @param components the components of a record that must be looked at in each value
   */
  private record Look(@Nullable String reason, List<Method> components) {}
}

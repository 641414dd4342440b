package io.bloomguard.aop;

import java.lang.reflect.Array;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.Collection;
import java.util.Enumeration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ResolvableType;

/**
 * How a method's return type carries the value of a key.
 *
 * <p>Null, an empty {@code Optional}, and an empty collection, map or array are no value: it is all
 * that such a method can say of a key that nobody has.
 *
 * @param carrier what stands around the value
 * @param raw the class inside the carrier
 * @param value the type of the value, by which it is cached: the content of an {@code Optional},
 *     the list of a {@code Flux}
 * @param empty makes what is inside the carrier when there is no value
 */
record ReturnShape(Carrier carrier, Class<?> raw, Type value, Supplier<@Nullable Object> empty) {

  /** What stands around a value. */
  enum Carrier {
    DIRECT,
    STAGE,
    MONO,
    FLUX
  }

  private static final String SUPPORTED =
      "Return a reference type, Optional, a collection, map or array, CompletableFuture,"
          + " CompletionStage, Mono or Flux";

  private static final Set<Class<?>> PRIMITIVE_OPTIONALS =
      Set.of(OptionalInt.class, OptionalLong.class, OptionalDouble.class);

  /**
   * Reads the shape of a method's return type.
   *
   * @throws GuardedMethodException if no empty answer of that type can be given
   */
  static ReturnShape of(AnnotatedMethod<?> method) {
    ResolvableType type =
        ResolvableType.forType(
            GenericTypeResolver.resolveType(
                method.specific().getGenericReturnType(), method.target()));
    if (type.resolve() == null) {
      type = method.returnType();
    }
    Class<?> raw = type.resolve(Object.class);
    Carrier carrier = carrier(raw);
    ResolvableType content = carrier == Carrier.DIRECT ? type : type.getGeneric(0);
    Class<?> inside = content.resolve(Object.class);
    refuseSuspend(method);
    refuseUnsupported(method, raw, carrier);
    refuseUnsupported(method, inside, Carrier.DIRECT);
    if (carrier == Carrier.FLUX) {
      return new ReturnShape(
          carrier,
          Collection.class,
          ResolvableType.forClassWithGenerics(List.class, content).getType(),
          () -> null);
    }
    Supplier<@Nullable Object> empty;
    try {
      empty = EmptyValues.of(inside);
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw method.refuse(
          "returns " + inside.getTypeName() + ", which cannot be made empty", SUPPORTED);
    }
    Type value = inside == Optional.class ? content.getGeneric(0).getType() : content.getType();
    return new ReturnShape(carrier, inside, value, empty);
  }

  static Carrier carrier(Class<?> raw) {
    if (raw == CompletableFuture.class || raw == CompletionStage.class) {
      return Carrier.STAGE;
    }
    // By name, for Reactor may be absent.
    return switch (raw.getName()) {
      case "reactor.core.publisher.Mono" -> Carrier.MONO;
      case "reactor.core.publisher.Flux" -> Carrier.FLUX;
      default -> Carrier.DIRECT;
    };
  }

  /**
   * What carries the end of a method that writes.
   *
   * @throws GuardedMethodException if it can end after it has returned, unseen
   */
  static Carrier ofWrite(AnnotatedMethod<?> method) {
    ResolvableType type = method.returnType();
    Carrier carrier = carrier(type.resolve(Object.class));
    refuseSuspend(method);
    Class<?> deferred = Deferred.in(carrier == Carrier.DIRECT ? type : type.getGeneric(0));
    if (deferred != null) {
      throw method.refuse(
          "returns "
              + type
              + ", so the write may come when the method has long returned, and nothing tells when"
              + " it has been made",
          "Return the value itself, CompletableFuture, CompletionStage, Mono or Flux");
    }
    return carrier;
  }

  private static void refuseSuspend(AnnotatedMethod<?> method) {
    Class<?>[] parameters = method.specific().getParameterTypes();
    if (parameters.length > 0
        && parameters[parameters.length - 1].getName().equals("kotlin.coroutines.Continuation")) {
      throw method.refuse(
          "is on a Kotlin suspend function, which ends after it has returned",
          "Use a function that is not suspend, or one that returns Mono or Flux");
    }
  }

  private static void refuseUnsupported(AnnotatedMethod<?> method, Class<?> raw, Carrier carrier) {
    String reason = null;
    if (raw == void.class || raw == Void.class) {
      reason = "so there is nothing to guard";
    } else if (raw.isPrimitive() || PRIMITIVE_OPTIONALS.contains(raw)) {
      reason = "which has no value for an absent key that a cache could tell from others";
    } else if (BaseStream.class.isAssignableFrom(raw)
        || Iterator.class.isAssignableFrom(raw)
        || Enumeration.class.isAssignableFrom(raw)
        || AutoCloseable.class.isAssignableFrom(raw)) {
      reason = "which can be read only once, so it can be neither cached nor shared";
    } else if (carrier == Carrier.DIRECT && Deferred.is(raw)) {
      reason = "which cannot be waited for without blocking";
    }
    if (reason != null) {
      throw method.refuse("returns " + raw.getTypeName() + ", " + reason, SUPPORTED);
    }
  }

  /** Whether a cache can read values of the declared type back. */
  static boolean cacheable(Type type) {
    return type != Object.class && !open(type);
  }

  private static boolean open(Type type) {
    if (type instanceof ParameterizedType generic) {
      return Arrays.stream(generic.getActualTypeArguments()).anyMatch(ReturnShape::open);
    }
    if (type instanceof GenericArrayType array) {
      return open(array.getGenericComponentType());
    }
    return type instanceof TypeVariable<?>;
  }

  /** The value inside what a method returned; null for none. */
  @Nullable Object unwrap(@Nullable Object returned) {
    if (raw == Optional.class) {
      return returned == null ? null : ((Optional<?>) returned).orElse(null);
    }
    return returned != null && EmptyValues.isContainer(raw) && isEmpty(returned) ? null : returned;
  }

  /** The answer for a value. */
  Object wrap(Object value) {
    return raw == Optional.class ? Optional.of(value) : value;
  }

  private static boolean isEmpty(Object container) {
    if (container instanceof Collection<?> collection) {
      return collection.isEmpty();
    }
    if (container instanceof Map<?, ?> map) {
      return map.isEmpty();
    }
    if (container instanceof Iterable<?> iterable) {
      return !iterable.iterator().hasNext();
    }
    return Array.getLength(container) == 0;
  }
}

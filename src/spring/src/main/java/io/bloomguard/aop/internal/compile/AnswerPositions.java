package io.bloomguard.aop.internal.compile;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.aop.internal.call.Carrier;
import io.bloomguard.aop.internal.call.CompiledKey;
import io.bloomguard.aop.internal.call.KeyPositions;
import io.bloomguard.aop.internal.call.ReturnShape;
import io.bloomguard.aop.internal.call.Returned;
import io.bloomguard.aop.internal.method.AnnotatedMethod;
import io.bloomguard.aop.internal.method.EmptyValues;
import io.bloomguard.aop.internal.method.KotlinFunction;
import io.bloomguard.aop.internal.method.PropertyPath;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.internal.verify.Manual;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.ResolvableType;

/**
 * The positions of keys in the answers of a method that takes several: those that it declares, or
 * may have, and what is refused because no caller could tell the key of an element.
 */
final class AnswerPositions {

  private static final Logger LOG = LoggerFactory.getLogger(AnswerPositions.class);

  private AnswerPositions() {}

  /**
   * The positions of a method's answers; null if they have none.
   *
   * @throws StartRefusedException if its elements name no key and it declares no positions, or
   *     declares what its type cannot have
   */
  static @Nullable KeyPositions of(
      AnnotatedMethod<BloomGuarded> method, CompiledKey key, Carrier carrier) {
    ResolvableType answer = Returned.of(method).content();
    Class<?> raw = answer.resolve(Object.class);
    ResolvableType element = carrier.isMany() ? answer : element(answer);
    boolean spreads =
        element != null
            && (carrier.isMany() || raw.isArray() || raw.isAssignableFrom(ArrayList.class));
    if (element == null && !EmptyValues.isContainer(raw) && answer.getGenerics().length == 1) {
      element = element(answer.getGeneric(0));
    }
    if (method.annotation().positional()) {
      if (element == null || !spreads) {
        throw method.refuse(
            "has positional = true, but returns {}, in which no gap can be left",
            "Return a List, Collection or array, or leave positional out",
            answer);
      }
      return KeyPositions.declared(
          AnnotatedMethod.name(method.specific()),
          carrier.isMany() ? List.class : raw,
          gap(method, element, carrier));
    }
    if (element == null) {
      return null;
    }
    String parameter = KeyCompiler.parameter(method, key.parameter());
    PropertyPath named = RowKeyNames.of(element, method.annotation().filter(), parameter);
    if (named == null) {
      throw method.refuse(
          "returns {} for several keys, some of which may be left out. No element names its key by"
              + " a property '{}', so each could be taken for that of another key",
          "Return a Map by key, set positional = true for an element for each key in their order,"
              + " return a Set, or give the elements the property of the key, after which the"
              + " parameter is called",
          answer,
          RowKeyNames.key(parameter));
    }
    if (carrier.isMany()) {
      return null; // a Flux holds no nulls, so it leaves no gaps
    }
    Class<?> type = element.resolve(Object.class);
    Class<?> keys = key.type().resolve(Object.class);
    boolean assumed =
        (keys.isArray() || keys == List.class)
            && !Modifier.isAbstract(method.specific().getModifiers())
            && !KotlinFunction.hasNonNullElements(method);
    method.refuseIf(
        assumed && !spreads,
        "returns {} for a list of keys, in which no gap can be left",
        "Return a Map by key, a List or an array, or take a Collection or Set of keys if the rows"
            + " may come in any order",
        answer);
    if (assumed) {
      LOG.info(
          "{} answers a list for a list of keys. Where it has an element for each key, null takes"
              + " the place of a key left out. Take a Collection or Set of keys if rows come in any"
              + " order, else set positional = true: {}",
          method.describe(),
          Manual.page("methods.md"));
    }
    return spreads
        ? KeyPositions.perhaps(raw, row -> type.isInstance(row) ? named.read(row) : null, assumed)
        : null;
  }

  /** The type of the elements of a container that has an order; null for another type. */
  private static @Nullable ResolvableType element(ResolvableType answer) {
    Class<?> raw = answer.resolve(Object.class);
    if (raw.isArray()) {
      return raw == byte[].class || raw == char[].class ? null : answer.getComponentType();
    }
    boolean ordered =
        (Collection.class.isAssignableFrom(raw) && !Set.class.isAssignableFrom(raw))
            || raw == Iterable.class
            || (raw.getName().matches("io\\.vavr\\.collection\\..*(?<!Set|Map)")
                && Iterable.class.isAssignableFrom(raw));
    return ordered ? answer.as(Iterable.class).getGeneric(0) : null;
  }

  /** Makes the element for a key that does not reach the method. */
  private static Supplier<? extends @Nullable Object> gap(
      AnnotatedMethod<BloomGuarded> method, ResolvableType element, Carrier carrier) {
    Class<?> raw = element.resolve(Object.class);
    Object none = ReturnShape.none(method.specific().getName(), raw);
    if (none != null) {
      return () -> none;
    }
    method.refuseIf(
        raw.isPrimitive() || Carrier.of(raw).publishes(),
        "has positional = true, but its elements, of type {}, have no value for an absent key",
        "Return a Map by key, or elements of a reference type",
        raw.getTypeName());
    boolean stage = raw != Object.class && raw.isAssignableFrom(CompletableFuture.class);
    Supplier<@Nullable Object> content =
        EmptyValues.of(
            method,
            stage ? element.getGeneric(0).resolve(Object.class) : raw,
            "has positional = true, but its elements are of type {}, which cannot be made empty",
            "Return a Map by key, or elements that can be null");
    method.refuseIf(
        carrier.isMany() && !stage && content.get() == null,
        "has positional = true, but a Flux cannot hold a null for an absent key",
        "Return a Mono of a Map by key, or let the elements be Optional");
    return stage ? () -> CompletableFuture.completedFuture(content.get()) : content;
  }
}

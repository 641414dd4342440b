package io.bloomguard.aop.internal.call;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.OnAbsent;
import io.bloomguard.aop.internal.method.AnnotatedMethod;
import io.bloomguard.aop.internal.method.EmptyValues;
import io.bloomguard.guard.AnswerType;
import io.bloomguard.guard.Finding;
import io.bloomguard.guard.Findings;
import io.bloomguard.guard.StartRefusedException;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.Collection;
import java.util.Enumeration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * The form in which a method's return type carries the value of a key.
 *
 * <p>Null, an empty {@code Optional}, and an empty collection, map or array count as no value, and
 * so do false from {@code exists...} and 0 from {@code count...}: such a method has no other answer
 * for an absent key.
 *
 * @param carrier the container around the value
 * @param raw the class inside the carrier
 * @param value the type of the value, by which it is cached: the content of an {@code Optional},
 *     the list of a {@code Flux}
 * @param none a value that stands for none, such as false from {@code exists}; null for most
 *     methods
 * @param answer the type that reads the content; null for plain values
 * @param findings what a value shows of its key
 * @param doubt the reason why values show nothing of their keys; null if they do
 * @param empty makes the content of the carrier if there is no value
 */
public record ReturnShape(
    Carrier carrier,
    Class<?> raw,
    Type value,
    @Nullable Object none,
    @Nullable AnswerType<?> answer,
    Findings findings,
    @Nullable String doubt,
    Supplier<? extends @Nullable Object> empty) {

  private static final String PAGE = "the name or model of a view";

  private static final String SUPPORTED =
      "Return a reference type, Optional, a collection, map or array, CompletableFuture,"
          + " CompletionStage, Mono or Flux";

  private static final Set<Class<?>> PRIMITIVE_OPTIONALS =
      Set.of(OptionalInt.class, OptionalLong.class, OptionalDouble.class);

  private static final Set<String> NOTHING = Set.of("void", "java.lang.Void", "kotlin.Unit");

  private static final Set<Class<?>> READ_ONCE =
      Set.of(BaseStream.class, Iterator.class, Enumeration.class, AutoCloseable.class);

  private static final String WEB = "org.springframework.web.";

  private static final Set<String> VIEWS =
      Set.of(
          WEB + "servlet.ModelAndView",
          WEB + "servlet.View",
          WEB + "reactive.result.view.Rendering",
          WEB + "reactive.result.view.View");

  /**
   * Reads the shape of a method's return type.
   *
   * @param findings what answers show of their keys
   * @throws StartRefusedException if no empty answer of that type can be given
   */
  public static ReturnShape of(AnnotatedMethod<BloomGuarded> method, Findings findings) {
    Returned returned = Returned.of(method);
    Carrier carrier = returned.carrier();
    ResolvableType content = returned.content();
    Class<?> inside = content.resolve(Object.class);
    Object none = none(method.specific().getName(), inside);
    if (none == null) {
      refuseUnsupported(method, inside);
    }
    ResolvableType held = inside == Optional.class ? content.getGeneric(0) : content;
    Class<?> answered = held.resolve(Object.class);
    boolean view = isView(method, answered);
    AnswerType<?> answer = findings.typeOf(answered);
    Class<?> carried =
        answer != null && answer.ofOneRequest()
            ? held.getGeneric(0).resolve(Object.class)
            : answered;
    String doubt = view ? PAGE : findings.typeOf(carried) == null ? doubt(carried) : null;
    Findings shown = doubt == null || none != null ? findings : findings.unclear();
    if (carrier.isMany()) {
      Type list = ResolvableType.forClassWithGenerics(List.class, content).getType();
      return new ReturnShape(carrier, Collection.class, list, null, null, shown, doubt, () -> null);
    }
    if (none != null) {
      Class<?> known = none.getClass();
      return new ReturnShape(carrier, known, known, none, null, findings, null, () -> none);
    }
    Object foreign = EmptyValues.ofLibrary(inside);
    Supplier<? extends @Nullable Object> empty =
        foreign == null && answer != null && inside == answered
            ? answer::absent
            : EmptyValues.of(method, inside, "returns {}, which cannot be made empty", SUPPORTED);
    method.refuseIf(
        method.annotation().onAbsent() == OnAbsent.RETURN_EMPTY
            && (view || answer != null)
            && empty.get() == null,
        "returns {}, which has no form for an absent key",
        "Set onAbsent = OnAbsent.THROW, or guard the lookup that the method calls",
        inside.getTypeName());
    return new ReturnShape(carrier, inside, held.getType(), foreign, answer, shown, doubt, empty);
  }

  /** Whether the answer is a page of one request, whose model the caller completes. */
  public boolean isPage() {
    return PAGE.equals(doubt);
  }

  /** Whether a handler method's answer becomes a page, not the body of the response. */
  private static boolean isView(AnnotatedMethod<?> method, Class<?> type) {
    return VIEWS.contains(type.getName())
        || (CharSequence.class.isAssignableFrom(type)
            && MergedAnnotations.from(method.specific(), SearchStrategy.TYPE_HIERARCHY)
                .isPresent(WEB + "bind.annotation.RequestMapping")
            && method.other(WEB + "bind.annotation.ResponseBody").isEmpty());
  }

  /** The reason why an instance of a class may carry a value or none, which nothing tells. */
  private static @Nullable String doubt(Class<?> type) {
    String name = type.getName();
    if (Findings.isWrapper(type) && EmptyValues.ofLibrary(type) == null) {
      return "a type that may or may not carry a value";
    }
    return name.startsWith(WEB) || name.startsWith("jakarta.ws.rs.")
        ? "an answer of the web, whose value is not known"
        : null;
  }

  /** The shape of a result that is passed on unchanged, without an empty answer. */
  public static ReturnShape passedOn(AnnotatedMethod<?> method) {
    Carrier carrier = Returned.of(method).carrier();
    return new ReturnShape(
        carrier, Object.class, Object.class, null, null, Findings.PLAIN, null, () -> null);
  }

  /** The answer of an {@code exists...} or {@code count...} method for an absent key. */
  public static @Nullable Object none(String method, Class<?> type) {
    Class<?> boxed = ClassUtils.resolvePrimitiveIfNecessary(type);
    if (method.startsWith("exists")) {
      return boxed == Boolean.class ? false : null;
    }
    if (method.startsWith("count")) {
      return boxed == Long.class ? (Object) 0L : boxed == Integer.class ? (Object) 0 : null;
    }
    return null;
  }

  /**
   * The carrier of the end of a method that writes.
   *
   * @throws StartRefusedException if it can end unnoticed after it has returned
   */
  public static Carrier ofWrite(AnnotatedMethod<?> method) {
    Returned returned = Returned.of(method);
    Class<?> deferred = Deferred.in(returned.content());
    method.refuseIf(
        deferred != null,
        "returns {}, so the write may end long after the method has returned",
        "Return the value itself, CompletableFuture, CompletionStage, Mono or Flux",
        returned.type());
    return returned.carrier();
  }

  private static void refuseUnsupported(AnnotatedMethod<?> method, Class<?> type) {
    String reason = null;
    if (NOTHING.contains(type.getName())) {
      reason = "so there is nothing to guard";
    } else if (type.isPrimitive() || PRIMITIVE_OPTIONALS.contains(type)) {
      reason =
          "which has no separate value for an absent key; only exists... is known to return"
              + " false, and count... 0";
    } else if (READ_ONCE.stream().anyMatch(each -> each.isAssignableFrom(type))) {
      reason = "which can be read only once, so it can be neither cached nor shared";
    } else if (Deferred.is(type)) {
      reason = "which cannot be waited for without blocking";
    } else if (Iterable.class.isAssignableFrom(type)
        && type.getName().startsWith("org.springframework.data.")) {
      reason = "whose value for an absent key is not known: only a collection is known to be empty";
    }
    method.refuseIf(reason != null, "returns {}, {}", SUPPORTED, type.getTypeName(), reason);
  }

  /** Whether a cache can read values of the declared type back. */
  public static boolean cacheable(Type type) {
    return type != Object.class
        && !open(type)
        && EmptyValues.ofLibrary(ResolvableType.forType(type).resolve(Object.class)) == null;
  }

  private static boolean open(Type type) {
    return type instanceof TypeVariable<?>
        || (type instanceof GenericArrayType array && open(array.getGenericComponentType()))
        || (type instanceof ParameterizedType generic
            && Arrays.stream(generic.getActualTypeArguments()).anyMatch(ReturnShape::open));
  }

  /** The value inside a method's result; null for none. */
  @Nullable Object unwrap(@Nullable Object returned) {
    if (raw == Optional.class) {
      return returned == null ? null : ((Optional<?>) returned).orElse(null);
    }
    if (returned == null || Findings.isUnread(returned)) {
      return returned;
    }
    boolean empty = answer == null && EmptyValues.isContainer(raw) && isEmpty(returned);
    return empty || returned.equals(none) ? null : returned;
  }

  /** Whether a value says itself that its key has none. */
  boolean readsAsNothing(Object value) {
    return (answer != null || raw == Object.class) && findings.of(value) == Finding.NOTHING;
  }

  /** Whether the method only asks for existence or number. */
  public boolean asks() {
    return none instanceof Boolean || none instanceof Number;
  }

  /**
   * Whether no value means that a key has no rows, not that the key does not exist: for empty or
   * counted answers.
   */
  public boolean isContent() {
    return none instanceof Number
        || none instanceof Iterable<?>
        || carrier.isMany()
        || (answer == null && EmptyValues.isContainer(raw));
  }

  /** The answer for a value. */
  Object wrap(Object value) {
    return raw == Optional.class ? Optional.of(value) : value;
  }

  private static boolean isEmpty(Object container) {
    return Findings.isEmpty(container)
        || (container instanceof Iterable<?> elements && !elements.iterator().hasNext());
  }
}

package io.bloomguard.aop.internal.method;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.When;
import io.bloomguard.guard.StartRefusedException;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.helpers.MessageFormatter;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.StringUtils;

/**
 * A method with one of the annotations, as called on objects of one class.
 *
 * @param annotations the annotation, merged from composed ones; several if it is repeated
 * @param type the type of the annotation
 * @param declared the method that carries it and supplies the parameter names
 * @param specific the method that runs
 * @param target the class of the object that is called, which binds type variables
 */
public record AnnotatedMethod<A extends Annotation>(
    List<A> annotations, Class<A> type, Method declared, Method specific, Class<?> target) {

  /** The annotations of methods. */
  public static final List<Class<? extends Annotation>> TYPES =
      List.of(BloomGuarded.class, BloomPut.class, BloomEvict.class);

  /**
   * The key that one annotation names.
   *
   * @param cache the cache of its own; empty for that of the filter
   */
  public record Named(String filter, String key, String cache, When when) {}

  /** The keys that the annotations name, in their order. */
  public List<Named> keys() {
    return annotations.stream().map(AnnotatedMethod::named).toList();
  }

  private static Named named(Annotation annotation) {
    if (annotation instanceof BloomPut put) {
      return new Named(put.filter(), put.key(), put.cache(), put.when());
    }
    if (annotation instanceof BloomEvict evict) {
      return new Named(evict.filter(), evict.key(), evict.cache(), evict.when());
    }
    BloomGuarded guarded = (BloomGuarded) annotation;
    return new Named(guarded.filter(), guarded.key(), guarded.cache(), When.BEFORE);
  }

  /** The methods of {@code target} that carry any of the annotations. */
  public static List<AnnotatedMethod<?>> all(Class<?> target) {
    List<AnnotatedMethod<?>> found = new ArrayList<>();
    TYPES.forEach(type -> found.addAll(of(type, target).values()));
    return found;
  }

  /**
   * The filters that an annotation of a method names; none if the method has no such annotation.
   */
  public static Stream<String> filters(
      Class<? extends Annotation> type, Method method, Class<?> target) {
    AnnotatedMethod<?> found = find(type, method, target);
    return found == null ? Stream.empty() : found.keys().stream().map(Named::filter);
  }

  /** Finds {@code type} on the method, on what it overrides, or on what it implements. */
  public static <A extends Annotation> @Nullable AnnotatedMethod<A> find(
      Class<A> type, Method method, Class<?> target) {
    Method specific = AopUtils.getMostSpecificMethod(method, target);
    List<MergedAnnotation<A>> found = lookup(type, specific);
    if (found.isEmpty() && !specific.equals(method)) {
      found = lookup(type, BridgeMethodResolver.findBridgedMethod(method));
    }
    if (found.isEmpty()) {
      return null;
    }
    Method declared =
        found.get(0).getSource() instanceof Method source ? written(source) : specific;
    // The methods of a JDK proxy have lost their generic types; the interface's methods still have
    // them.
    boolean erased = Proxy.isProxyClass(specific.getDeclaringClass());
    return new AnnotatedMethod<>(
        found.stream().map(MergedAnnotation::synthesize).toList(),
        type,
        declared,
        erased ? declared : specific,
        target);
  }

  /** Whether a type is of Java or Spring, whose methods carry none of the annotations. */
  public static boolean isFramework(Class<?> type) {
    String name = type.getName();
    return name.startsWith("java.")
        || (name.startsWith("org.springframework.")
            && !name.startsWith("org.springframework.samples."));
  }

  /** The methods of {@code target} that carry {@code type}. */
  public static <A extends Annotation> Map<Method, AnnotatedMethod<A>> of(
      Class<A> type, Class<?> target) {
    MethodIntrospector.MetadataLookup<AnnotatedMethod<A>> lookup =
        method -> find(type, method, target);
    return AnnotationUtils.isCandidateClass(target, type)
        ? MethodIntrospector.selectMethods(target, lookup)
        : Map.of();
  }

  /**
   * The method that {@code source} is, or is a bridge to. A method in the same class takes
   * precedence over the one that it overrides with a narrower result, whose parameters have other
   * names.
   */
  private static Method written(Method source) {
    return Stream.of(source.getDeclaringClass().getDeclaredMethods())
        .filter(beside -> source.isBridge() && !beside.isBridge())
        .filter(beside -> beside.getName().equals(source.getName()))
        .filter(beside -> Arrays.equals(beside.getParameterTypes(), source.getParameterTypes()))
        .findFirst()
        .orElseGet(() -> BridgeMethodResolver.findBridgedMethod(source));
  }

  /**
   * The annotations of the nearest declaration, which replace those of the methods that it
   * overrides.
   */
  private static <A extends Annotation> List<MergedAnnotation<A>> lookup(
      Class<A> type, Method method) {
    List<MergedAnnotation<A>> all =
        MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).stream(type).toList();
    return all.stream()
        .filter(one -> one.getAggregateIndex() == all.get(0).getAggregateIndex())
        .toList();
  }

  /** The annotation, if it is not repeatable. */
  public A annotation() {
    return annotations.get(0);
  }

  /**
   * An annotation of a library that may be absent, by its name: that of the method, or else of its
   * class.
   */
  public Optional<MergedAnnotation<?>> other(String name) {
    return Stream.<AnnotatedElement>of(specific, target)
        .<MergedAnnotation<?>>map(
            each -> MergedAnnotations.from(each, SearchStrategy.TYPE_HIERARCHY).get(name))
        .filter(MergedAnnotation::isPresent)
        .findFirst();
  }

  public ResolvableType returnType() {
    ResolvableType resolved =
        ResolvableType.forType(
            GenericTypeResolver.resolveType(specific.getGenericReturnType(), target));
    return resolved.resolve() == null
        ? ResolvableType.forMethodReturnType(specific, target)
        : resolved;
  }

  public ResolvableType parameterType(int index) {
    return ResolvableType.forMethodParameter(declared, index, target);
  }

  /**
   * The refusal of this method.
   *
   * @param problem what it does, as the rest of a sentence
   * @param action the remedy, as a sentence
   * @param values take the places of {@code {}} in both, in their order, as in a log line
   */
  public StartRefusedException refuse(String problem, String action, @Nullable Object... values) {
    int first = StringUtils.countOccurrencesOf(problem, "{}");
    return new StartRefusedException(
        describe() + " " + MessageFormatter.basicArrayFormat(problem, values),
        MessageFormatter.basicArrayFormat(
            action, Arrays.copyOfRange(values, Math.min(first, values.length), values.length)));
  }

  /**
   * Refuses this method under a condition.
   *
   * @throws StartRefusedException as {@link #refuse} says
   */
  public void refuseIf(
      boolean condition, String problem, String action, @Nullable Object... values) {
    if (condition) {
      throw refuse(problem, action, values);
    }
  }

  /** The annotation and its method, as {@code @Annotation on Class.method(Type)}. */
  public String describe() {
    return "@" + type.getSimpleName() + " on " + name(specific);
  }

  /** {@return a method, as {@code Class.method(Type, Type)}} */
  public static String name(Method method) {
    return Arrays.stream(method.getParameterTypes())
        .map(Class::getSimpleName)
        .collect(
            Collectors.joining(
                ", ",
                method.getDeclaringClass().getTypeName() + '.' + method.getName() + '(',
                ")"));
  }
}

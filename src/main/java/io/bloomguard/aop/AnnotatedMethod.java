package io.bloomguard.aop;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * A method with one of the annotations, as called on objects of one class.
 *
 * @param annotations the annotation, merged from composed ones; several where it is repeated
 * @param type its type
 * @param declared the method that carries it; parameter names are this one's
 * @param specific the method that runs
 * @param target the class of the object that is called, which binds type variables
 */
record AnnotatedMethod<A extends Annotation>(
    List<A> annotations, Class<A> type, Method declared, Method specific, Class<?> target) {

  /** Finds {@code type} on the method, on what it overrides, or on what it implements. */
  static <A extends Annotation> @Nullable AnnotatedMethod<A> find(
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
    // The methods of a JDK proxy have lost their generic types; those of the interface have not.
    boolean erased = Proxy.isProxyClass(specific.getDeclaringClass());
    return new AnnotatedMethod<>(
        found.stream().map(MergedAnnotation::synthesize).toList(),
        type,
        declared,
        erased ? declared : specific,
        target);
  }

  /**
   * The method that {@code source} is, or is a bridge to. One beside it is nearer than what it
   * overrides with a narrower result: that has parameters of other names.
   */
  private static Method written(Method source) {
    if (source.isBridge()) {
      for (Method beside : source.getDeclaringClass().getDeclaredMethods()) {
        if (!beside.isBridge()
            && beside.getName().equals(source.getName())
            && Arrays.equals(beside.getParameterTypes(), source.getParameterTypes())) {
          return beside;
        }
      }
    }
    return BridgeMethodResolver.findBridgedMethod(source);
  }

  /** Those of the nearest declaration, which replaces what it overrides. */
  private static <A extends Annotation> List<MergedAnnotation<A>> lookup(
      Class<A> type, Method method) {
    List<MergedAnnotation<A>> all =
        MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).stream(type).toList();
    return all.stream()
        .filter(one -> one.getAggregateIndex() == all.get(0).getAggregateIndex())
        .toList();
  }

  /** The annotation, where it is not repeatable. */
  A annotation() {
    return annotations.get(0);
  }

  ResolvableType returnType() {
    return ResolvableType.forMethodReturnType(specific, target);
  }

  ResolvableType parameterType(int index) {
    return ResolvableType.forMethodParameter(declared, index, target);
  }

  GuardedMethodException refuse(String problem, String action) {
    return new GuardedMethodException(type, specific, problem, action);
  }

  /** The annotation and its method, as {@code @Annotation on Class.method(Type)}. */
  String describe() {
    return "@" + type.getSimpleName() + " on " + GuardedMethodException.describe(specific);
  }
}

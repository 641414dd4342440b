package io.bloomguard.aop;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
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
 * @param annotation the annotation, merged from composed ones
 * @param type its type
 * @param declared the method that carries it; parameter names are this one's
 * @param specific the method that runs
 * @param target the class of the object that is called, which binds type variables
 */
record AnnotatedMethod<A extends Annotation>(
    A annotation, Class<A> type, Method declared, Method specific, Class<?> target) {

  /** Finds {@code type} on the method, on what it overrides, or on what it implements. */
  static <A extends Annotation> @Nullable AnnotatedMethod<A> find(
      Class<A> type, Method method, Class<?> target) {
    Method specific = AopUtils.getMostSpecificMethod(method, target);
    MergedAnnotation<A> found = lookup(type, specific);
    if (!found.isPresent() && !specific.equals(method)) {
      found = lookup(type, BridgeMethodResolver.findBridgedMethod(method));
    }
    if (!found.isPresent()) {
      return null;
    }
    Method declared =
        found.getSource() instanceof Method source
            ? BridgeMethodResolver.findBridgedMethod(source)
            : specific;
    // The methods of a JDK proxy have lost their generic types; those of the interface have not.
    boolean erased = Proxy.isProxyClass(specific.getDeclaringClass());
    return new AnnotatedMethod<>(
        found.synthesize(), type, declared, erased ? declared : specific, target);
  }

  private static <A extends Annotation> MergedAnnotation<A> lookup(Class<A> type, Method method) {
    return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).get(type);
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
}

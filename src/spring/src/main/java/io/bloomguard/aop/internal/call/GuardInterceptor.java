package io.bloomguard.aop.internal.call;

import io.bloomguard.aop.internal.method.AnnotatedMethod;
import io.bloomguard.guard.CacheUseException;
import io.bloomguard.guard.StartRefusedException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** The interceptor of one annotation: the compiled calls of all methods that carry it. */
public final class GuardInterceptor<A extends Annotation> implements MethodInterceptor {

  private final Class<A> annotation;
  private final Function<AnnotatedMethod<A>, MethodInterceptor> compiler;

  /** By method, then by the class of the called object; most methods have one class. */
  private final Map<Method, Compiled> calls = new ConcurrentHashMap<>();

  public GuardInterceptor(
      Class<A> annotation, Function<AnnotatedMethod<A>, MethodInterceptor> compiler) {
    this.annotation = annotation;
    this.compiler = compiler;
  }

  public Class<A> annotation() {
    return annotation;
  }

  /**
   * The methods of a class that carry the annotation.
   *
   * @throws StartRefusedException if the class carries it, by an annotation composed with it
   */
  public Map<Method, AnnotatedMethod<A>> of(Class<?> type) {
    requireNotOnClass(type);
    return AnnotatedMethod.of(annotation, type);
  }

  /**
   * Refuses the annotation on a class: a default for all methods would guard those that write, and
   * answer them from a cache.
   */
  public void requireNotOnClass(Class<?> type) {
    MergedAnnotation<A> found =
        MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).get(annotation);
    if (found.isPresent()) {
      throw new StartRefusedException(
          ("@%s on %s is on a class, where it would be a default for all methods")
              .formatted(annotation.getSimpleName(), type.getTypeName()),
          "Annotate the methods themselves");
    }
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Object target = invocation.getThis();
    Method method = invocation.getMethod();
    Class<?> type = target == null ? method.getDeclaringClass() : target.getClass();
    MethodInterceptor call = find(method, type);
    return (call == null ? compile(method, type) : call).invoke(invocation);
  }

  /**
   * Compiles the calls of {@code method} on objects of {@code type}, once.
   *
   * @throws StartRefusedException if they cannot be guarded as written
   */
  public MethodInterceptor compile(Method method, Class<?> type) {
    MethodInterceptor known = find(method, type);
    if (known != null) {
      return known;
    }
    AnnotatedMethod<A> found = AnnotatedMethod.find(annotation, method, type);
    try {
      MethodInterceptor call = found == null ? MethodInvocation::proceed : compiler.apply(found);
      calls.compute(method, (same, others) -> new Compiled(type, call, others));
      return call;
    } catch (CacheUseException e) {
      throw Objects.requireNonNull(found).refuse("{}", "{}", e.problem(), e.action());
    }
  }

  private @Nullable MethodInterceptor find(Method method, Class<?> type) {
    Compiled compiled = calls.get(method);
    while (compiled != null && compiled.type != type) {
      compiled = compiled.next;
    }
    return compiled == null ? null : compiled.call;
  }

  /** The call of a method on objects of one class, and those on objects of others. */
  private record Compiled(Class<?> type, MethodInterceptor call, @Nullable Compiled next) {}
}

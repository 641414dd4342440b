package io.bloomguard.aop;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The interceptor of one annotation: the compiled calls of all methods that carry it. */
final class CallTable<A extends Annotation> implements MethodInterceptor {

  private final Class<A> annotation;
  private final Function<AnnotatedMethod<A>, Call> compiler;

  /** By the class of the called object, then by method: nested, so that a look-up makes no key. */
  private final Map<Class<?>, Map<Method, Call>> calls = new ConcurrentHashMap<>();

  CallTable(Class<A> annotation, Function<AnnotatedMethod<A>, Call> compiler) {
    this.annotation = annotation;
    this.compiler = compiler;
  }

  Class<A> annotation() {
    return annotation;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Object target = invocation.getThis();
    Method method = invocation.getMethod();
    Class<?> type = target == null ? method.getDeclaringClass() : target.getClass();
    Map<Method, Call> known = calls.get(type);
    Call call = known == null ? null : known.get(method);
    return (call == null ? compile(method, type) : call).invoke(invocation);
  }

  /**
   * Compiles the calls of {@code method} on objects of {@code type}, once.
   *
   * @throws GuardedMethodException if they cannot be guarded as written
   */
  Call compile(Method method, Class<?> type) {
    Map<Method, Call> known = calls.computeIfAbsent(type, unused -> new ConcurrentHashMap<>());
    Call compiled = known.get(method);
    if (compiled != null) {
      return compiled;
    }
    AnnotatedMethod<A> found = AnnotatedMethod.find(annotation, method, type);
    Call call = found == null ? MethodInvocation::proceed : compiler.apply(found);
    known.put(method, call);
    return call;
  }
}

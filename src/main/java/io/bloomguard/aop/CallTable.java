package io.bloomguard.aop;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodClassKey;

/** The interceptor of one annotation: the compiled calls of all methods that carry it. */
final class CallTable<A extends Annotation> implements MethodInterceptor {

  private final Class<A> annotation;
  private final Function<AnnotatedMethod<A>, Call> compiler;
  private final Map<MethodClassKey, Call> calls = new ConcurrentHashMap<>();

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
    Call call = calls.get(new MethodClassKey(method, type));
    return (call == null ? compile(method, type) : call).invoke(invocation);
  }

  /**
   * Compiles the calls of {@code method} on objects of {@code type}, once.
   *
   * @throws GuardedMethodException if they cannot be guarded as written
   */
  Call compile(Method method, Class<?> type) {
    MethodClassKey key = new MethodClassKey(method, type);
    Call known = calls.get(key);
    if (known != null) {
      return known;
    }
    AnnotatedMethod<A> found = AnnotatedMethod.find(annotation, method, type);
    Call call = found == null ? MethodInvocation::proceed : compiler.apply(found);
    calls.put(key, call);
    return call;
  }
}

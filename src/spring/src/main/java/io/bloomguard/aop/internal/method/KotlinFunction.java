package io.bloomguard.aop.internal.method;

import io.bloomguard.guard.StartRefusedException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Kotlin's additions to a method: suspend functions and types that are never null. Spring's proxies
 * hide the continuation from interceptors, which proceed to a {@code Mono} and answer with one.
 */
public final class KotlinFunction {

  private static final String CONTINUATION = "kotlin.coroutines.Continuation";

  private static final boolean BRIDGED =
      KotlinDetector.isKotlinReflectPresent()
          && ClassUtils.isPresent(
              "kotlinx.coroutines.reactor.MonoKt", KotlinFunction.class.getClassLoader());

  private KotlinFunction() {}

  /**
   * Whether {@code method} is a suspend function.
   *
   * @throws StartRefusedException if it is, and Spring cannot make a {@code Mono} of it
   */
  public static boolean suspends(AnnotatedMethod<?> method) {
    if (!hasContinuation(method.specific())) {
      return false;
    }
    method.refuseIf(
        !BRIDGED || !KotlinDetector.isSuspendingFunction(method.specific()),
        "is on a Kotlin suspend function, which proxies cannot follow without Spring's bridge",
        "Add org.jetbrains.kotlinx:kotlinx-coroutines-reactor and"
            + " org.jetbrains.kotlin:kotlin-reflect");
    return true;
  }

  private static boolean hasContinuation(Method method) {
    Class<?>[] parameters = method.getParameterTypes();
    return parameters.length > 0
        && parameters[parameters.length - 1].getName().equals(CONTINUATION);
  }

  /**
   * The result type of a suspend function: the {@code T} of its {@code Continuation<? super T>}.
   */
  public static ResolvableType result(AnnotatedMethod<?> method) {
    Type[] parameters = method.declared().getGenericParameterTypes();
    Type continuation = parameters[parameters.length - 1];
    Type result =
        continuation instanceof ParameterizedType generic
            ? generic.getActualTypeArguments()[0]
            : Object.class;
    if (result instanceof WildcardType wildcard && wildcard.getLowerBounds().length == 1) {
      result = wildcard.getLowerBounds()[0];
    }
    return ResolvableType.forType(GenericTypeResolver.resolveType(result, method.target()));
  }

  /** Whether Kotlin declares that no element of a list that {@code method} answers is null. */
  public static boolean hasNonNullElements(AnnotatedMethod<?> method) {
    Method declared = method.specific();
    if (!KotlinDetector.isKotlinReflectPresent()
        || !KotlinDetector.isKotlinType(declared.getDeclaringClass())) {
      return false;
    }
    // By name, since Kotlin may be absent.
    Object function =
        call("kotlin.reflect.jvm.ReflectJvmMapping", "getKotlinFunction", null, declared);
    return function != null
        && !String.valueOf(call("kotlin.reflect.KCallable", "getReturnType", function))
            .contains("?>");
  }

  private static @Nullable Object call(
      String type, String method, @Nullable Object target, Object... arguments) {
    Class<?> owner = ClassUtils.resolveClassName(type, KotlinFunction.class.getClassLoader());
    Class<?>[] parameters = arguments.length == 0 ? new Class<?>[0] : new Class<?>[] {Method.class};
    return ReflectionUtils.invokeMethod(
        ClassUtils.getMethod(owner, method, parameters), target, arguments);
  }

  /** Whether Kotlin declares that {@code method} never returns null. */
  public static boolean isNonNull(AnnotatedMethod<?> method) {
    Method declared = method.specific();
    return KotlinDetector.isKotlinReflectPresent()
        && KotlinDetector.isKotlinType(declared.getDeclaringClass())
        && !new MethodParameter(declared, -1).isOptional();
  }
}

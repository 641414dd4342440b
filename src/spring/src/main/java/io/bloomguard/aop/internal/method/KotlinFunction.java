package io.bloomguard.aop.internal.method;

import io.bloomguard.guard.StartRefusedException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.NativeDetector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Kotlin's additions to a method: suspend functions and types that are never null. Spring's proxies
 * hide the continuation from interceptors, which proceed to a {@code Mono} and answer with one.
 */
public final class KotlinFunction {

  private static final String CONTINUATION = "kotlin.coroutines.Continuation";

  private static final Pattern UNSIGNED =
      Pattern.compile("class kotlin\\.U(Byte|Short|Int|Long)(Array)?");

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
    Object function = function(method);
    return function != null && !String.valueOf(returned(function)).contains("?>");
  }

  /**
   * Whether Kotlin declares what a path leads to as an unsigned number, or a value class of one.
   * The JVM has a signed number there, which is another one if it is large.
   *
   * @param parameter the index of the parameter where the path begins; negative for the result
   * @param path the properties
   */
  public static boolean isUnsigned(AnnotatedMethod<?> method, int parameter, List<String> path) {
    // A native image lacks what Kotlin's reflection reads; the same start on a JVM has told.
    Object function = NativeDetector.inNativeImage() ? null : function(method);
    if (function == null) {
      return false;
    }
    // Before the parameters there is the object.
    Object type = parameter < 0 ? returned(function) : types(function).get(parameter + 1);
    for (String name : path) {
      type =
          within(type, "getMembers")
              .filter(each -> name.equals(call("kotlin.reflect.KCallable", "getName", each)))
              .findFirst()
              .map(KotlinFunction::returned)
              .orElse(null);
    }
    return isUnsigned(type);
  }

  private static boolean isUnsigned(@Nullable Object type) {
    Object declared = declared(type);
    return declared != null
        && (UNSIGNED.matcher(declared.toString()).matches()
            || Boolean.TRUE.equals(call("kotlin.reflect.KClass", "isValue", declared))
                && within(type, "getConstructors")
                    .anyMatch(made -> types(made).stream().anyMatch(KotlinFunction::isUnsigned)));
  }

  /** The function of a class that Kotlin has compiled, as an object of its reflection. */
  private static @Nullable Object function(AnnotatedMethod<?> method) {
    Method declared = method.specific();
    // By name, since Kotlin may be absent.
    return KotlinDetector.isKotlinReflectPresent()
            && KotlinDetector.isKotlinType(declared.getDeclaringClass())
        ? call("kotlin.reflect.jvm.ReflectJvmMapping", "getKotlinFunction", null, declared)
        : null;
  }

  private static @Nullable Object returned(Object callable) {
    return call("kotlin.reflect.KCallable", "getReturnType", callable);
  }

  /** The types of the parameters. */
  private static List<@Nullable Object> types(Object callable) {
    List<@Nullable Object> types = new ArrayList<>();
    ((List<?>) Objects.requireNonNull(call("kotlin.reflect.KCallable", "getParameters", callable)))
        .forEach(each -> types.add(call("kotlin.reflect.KParameter", "getType", each)));
    return types;
  }

  /** The class of a type; null for a type parameter. */
  private static @Nullable Object declared(@Nullable Object type) {
    Object declared = type == null ? null : call("kotlin.reflect.KType", "getClassifier", type);
    return declared != null && type("kotlin.reflect.KClass").isInstance(declared) ? declared : null;
  }

  /** What the class of a type has. */
  private static Stream<?> within(@Nullable Object type, String what) {
    Object declared = declared(type);
    return declared == null
        ? Stream.empty()
        : ((Collection<?>) Objects.requireNonNull(call("kotlin.reflect.KClass", what, declared)))
            .stream();
  }

  private static @Nullable Object call(
      String type, String method, @Nullable Object target, Object... arguments) {
    Class<?>[] parameters = arguments.length == 0 ? new Class<?>[0] : new Class<?>[] {Method.class};
    return ReflectionUtils.invokeMethod(
        ClassUtils.getMethod(type(type), method, parameters), target, arguments);
  }

  private static Class<?> type(String name) {
    return ClassUtils.resolveClassName(name, KotlinFunction.class.getClassLoader());
  }

  /** Whether Kotlin declares that {@code method} never returns null. */
  public static boolean isNonNull(AnnotatedMethod<?> method) {
    Method declared = method.specific();
    return KotlinDetector.isKotlinReflectPresent()
        && KotlinDetector.isKotlinType(declared.getDeclaringClass())
        && !new MethodParameter(declared, -1).isOptional();
  }
}

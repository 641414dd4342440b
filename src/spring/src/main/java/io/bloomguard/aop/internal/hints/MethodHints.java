package io.bloomguard.aop.internal.hints;

import io.bloomguard.aop.internal.method.AnnotatedMethod;
import io.bloomguard.aop.internal.method.EmptyValues;
import io.bloomguard.aop.internal.method.KotlinFunction;
import io.bloomguard.aop.internal.method.PropertyPath;
import io.bloomguard.aop.internal.method.TypeArguments;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** The runtime hints of annotated methods. */
record MethodHints(RuntimeHints hints, ReflectionHints reflection) {

  /** The depth of the search in type arguments; a type may have itself among them. */
  private static final int DEPTH = 4;

  private static final BindingReflectionHintsRegistrar BINDINGS =
      new BindingReflectionHintsRegistrar();

  MethodHints(RuntimeHints hints) {
    this(hints, hints.reflection());
  }

  /**
   * The methods of a bean, which are looked through for annotations and called on the object behind
   * a proxy; and the proxy, where there is an interface alone.
   */
  void bean(Class<?> type) {
    for (Class<?> declaring = type;
        declaring != null && !AnnotatedMethod.isFramework(declaring);
        declaring = declaring.getSuperclass()) {
      methods(declaring);
    }
    for (Class<?> declaring : ClassUtils.getAllInterfacesForClassAsSet(type)) {
      if (!AnnotatedMethod.isFramework(declaring)) {
        methods(declaring);
      }
    }
    if (type.isInterface()) {
      hints.proxies().registerJdkProxy(AopProxyUtils.completeJdkProxyInterfaces(type));
    }
  }

  private void methods(Class<?> type) {
    reflection.registerType(
        type, MemberCategory.INVOKE_PUBLIC_METHODS, MemberCategory.INVOKE_DECLARED_METHODS);
  }

  /** The properties and methods along which {@code expression} leads to a key. */
  void key(AnnotatedMethod<?> method, String expression) {
    Set<String> words = new HashSet<>(Arrays.asList(expression.split("\\W+")));
    Set<Part> seen = new HashSet<>();
    for (int i = 0; i < method.declared().getParameterCount(); i++) {
      follow(method.parameterType(i), words, seen);
    }
    follow(method.returnType(), words, seen);
  }

  /** Follows the steps that {@code words} name: from a type, its elements and their members. */
  private void follow(ResolvableType type, Set<String> words, Set<Part> seen) {
    Class<?> owner = type.resolve();
    if (owner == null || !seen.add(new Part(type.getType(), owner))) {
      return;
    }
    if (type.isArray()) {
      follow(type.getComponentType(), words, seen);
    }
    for (ResolvableType generic : type.getGenerics()) {
      follow(generic, words, seen);
    }
    for (Member member : read(owner, words)) {
      reflection.registerType(owner);
      if (member instanceof Method method) {
        reflection.registerMethod(method, ExecutableMode.INVOKE);
      } else {
        reflection.registerField((Field) member);
      }
      follow(PropertyPath.type(member, type), words, seen);
    }
  }

  /** The properties and methods of a class that {@code words} name. */
  private static Set<Member> read(Class<?> owner, Set<String> words) {
    Map<String, Member> properties = PropertyPath.members(owner);
    Set<Member> read = new LinkedHashSet<>(properties.values());
    Set<String> named = new HashSet<>(properties.keySet());
    named.retainAll(words);
    // A record as a key is read by its components, none of which the expression names.
    if (!owner.isRecord() || !named.isEmpty()) {
      properties.keySet().retainAll(words);
      read.retainAll(properties.values());
    }
    Stream.of(owner.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> words.contains(method.getName()) && method.getReturnType() != void.class)
        .forEach(read::add);
    Method unboxing = PropertyPath.unboxing(owner);
    if (unboxing != null) {
      read.add(unboxing);
    }
    return read;
  }

  /** The arrays of keys, of which one with the possible keys is made. */
  void keyArrays(AnnotatedMethod<?> method) {
    for (Class<?> parameter : method.declared().getParameterTypes()) {
      if (parameter.isArray()) {
        reflection.registerType(parameter);
      }
    }
  }

  /** The types of a lookup's values, which are written as JSON and read, and made where empty. */
  void values(AnnotatedMethod<?> method) {
    ResolvableType value =
        KotlinFunction.suspends(method) ? KotlinFunction.result(method) : method.returnType();
    // Of the type itself, and of the collection or map that it, or its content, is.
    Stream.concat(Stream.of(value), Stream.of(value.getGenerics()))
        .flatMap(type -> Stream.of(type, type.as(Iterable.class), type.as(Map.class)))
        .flatMap(type -> TypeArguments.within(type, DEPTH))
        .distinct()
        .forEach(
            type -> {
              BINDINGS.registerReflectionHints(reflection, type);
              if (EmptyValues.isContainer(type) && !type.isInterface()) {
                reflection.registerType(type, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
              }
            });
  }

  /** A type as it is written, and the class that its variables are bound to. */
  private record Part(@Nullable Type type, Class<?> resolved) {}
}

package io.bloomguard.aop;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;

/** An annotated method that cannot be guarded as written; the application does not start. */
public final class GuardedMethodException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  /** As {@code Class.method(Type, Type)}. */
  private final String method;

  /** The method and its fault, in a sentence. */
  private final String description;

  /** The remedy, in a sentence. */
  private final String action;

  GuardedMethodException(
      Class<? extends Annotation> annotation, Method method, String problem, String action) {
    this(
        describe(method),
        "@" + annotation.getSimpleName() + " on " + describe(method) + " " + problem,
        action);
  }

  /** The fault of an annotation on a class; {@link #method} is that class. */
  GuardedMethodException(
      Class<? extends Annotation> annotation, Class<?> type, String problem, String action) {
    this(
        type.getTypeName(),
        "@" + annotation.getSimpleName() + " on " + type.getTypeName() + " " + problem,
        action);
  }

  GuardedMethodException(String method, String description, String action) {
    super(description + ". " + action);
    this.method = method;
    this.description = description;
    this.action = action;
  }

  /** {@return the method, as {@code Class.method(Type, Type)}} */
  public String method() {
    return method;
  }

  /** {@return the method and its fault} */
  public String description() {
    return description;
  }

  /** {@return the remedy} */
  public String action() {
    return action;
  }

  static String describe(Method method) {
    StringBuilder text = new StringBuilder(method.getDeclaringClass().getTypeName());
    text.append('.').append(method.getName()).append('(');
    String separator = "";
    for (Class<?> type : method.getParameterTypes()) {
      text.append(separator).append(type.getSimpleName());
      separator = ", ";
    }
    return text.append(')').toString();
  }
}

package io.bloomguard.aop;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** An annotated method that cannot be guarded as written; the application does not start. */
public final class GuardedMethodException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  /** As {@code Class.method(Type, Type)}. */
  private final String method;

  /** The method and its fault, in a sentence. */
  private final String description;

  /** The remedy, in a sentence. */
  private final String action;

  /**
   * The refusal of one method.
   *
   * @param method the method, as {@code Class.method(Type, Type)}, or a class
   * @param description what it is and its fault, in a sentence
   * @param action the remedy, in a sentence
   */
  public GuardedMethodException(String method, String description, String action) {
    super(description + ". " + action);
    this.method = method;
    this.description = description;
    this.action = action;
  }

  /**
   * {@return the one problem, or a list of all; the first is the cause of that}
   *
   * @param problems at least one
   */
  public static GuardedMethodException of(List<GuardedMethodException> problems) {
    GuardedMethodException first = problems.get(0);
    if (problems.size() == 1) {
      return first;
    }
    GuardedMethodException all =
        new GuardedMethodException(
            first.method,
            problems.size()
                + " methods or beans are refused:"
                + numbered(problems, e -> e.description),
            "Correct each:" + numbered(problems, e -> e.action));
    all.initCause(first);
    return all;
  }

  private static String numbered(
      List<GuardedMethodException> problems, Function<GuardedMethodException, String> part) {
    return IntStream.range(0, problems.size())
        .mapToObj(i -> "\n  " + (i + 1) + ". " + part.apply(problems.get(i)))
        .collect(Collectors.joining());
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
}

package io.bloomguard.guard;

import java.lang.reflect.Array;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the ends of loads show of their keys: the one rule of methods, verification and cache.
 *
 * <p>Null is nothing, and an {@link AnswerType} reads its own instances. An empty container within
 * another answer is unclear: that answer may stand for a key without rows. Each other object is a
 * value. An exception that says "not found" shows that a key is absent, each other one shows
 * nothing.
 */
public final class Findings {

  /** The rule of an application without answer types. */
  public static final Findings PLAIN = new Findings(List::of);

  /** Said of the key of the failed lookup, in all likelihood: enough to confirm a rejection. */
  private static final Set<String> NOT_FOUND =
      Set.of(
          NoSuchElementException.class.getName(),
          KeyAbsentException.class.getName(),
          "jakarta.persistence.EntityNotFoundException",
          "jakarta.persistence.NoResultException",
          "org.springframework.dao.EmptyResultDataAccessException");

  /** The packages whose iterables can be iterated again: pages, and Vavr's own containers. */
  private static final List<String> LIBRARIES = List.of("org.springframework.data.", "io.vavr.");

  private final Rules rules;
  private final boolean unclear;

  /**
   * The rule of an application.
   *
   * @param types its answer types, in their order; called at the first load, not before
   */
  public Findings(Supplier<? extends List<? extends AnswerType<?>>> types) {
    this(new Rules(types), false);
  }

  private Findings(Rules rules, boolean unclear) {
    this.rules = rules;
    this.unclear = unclear;
  }

  /** {@return the same rule for a method whose values show nothing of their keys} */
  public Findings unclear() {
    return new Findings(rules, true);
  }

  /**
   * {@return the answer type of a class; null if its instances are plain values}
   *
   * @param type a declared class
   */
  public @Nullable AnswerType<?> typeOf(Class<?> type) {
    return rules.get(type).type();
  }

  /**
   * {@return what an answer shows of its key}
   *
   * @param answer the result of a load; null for none
   */
  public Finding of(@Nullable Object answer) {
    if (answer == null) {
      return Finding.NOTHING;
    }
    AnswerType<?> type = rules.get(answer.getClass()).type();
    Finding found =
        type != null ? read(type, answer) : isEmpty(answer) ? Finding.UNCLEAR : Finding.VALUE;
    return unclear && found == Finding.VALUE ? Finding.UNCLEAR : found;
  }

  /**
   * Ends a trial by the end of its load.
   *
   * @param trial the trial
   * @param answer the result of the load; null for none
   * @param failure its failure; null if it returned
   * @param found ends the trial by a value
   */
  public void judge(
      Trial trial,
      @Nullable Object answer,
      @Nullable Throwable failure,
      Consumer<? super Trial> found) {
    switch (failure == null ? of(answer) : ofFailure(failure)) {
      case VALUE -> found.accept(trial);
      case NOTHING -> trial.absent();
      case UNCLEAR -> trial.unclear();
      case OTHER -> trial.failed();
    }
  }

  private Finding ofFailure(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause == null) {
      return Finding.OTHER;
    }
    Rule rule = rules.get(cause.getClass());
    AnswerType<?> type = rule.type();
    return rule.notFound() || (type != null && read(type, cause) == Finding.NOTHING)
        ? Finding.NOTHING
        : Finding.OTHER;
  }

  /**
   * {@return whether an object within an answer is an empty container}
   *
   * @param content not null
   */
  public static boolean isEmpty(Object content) {
    if (content instanceof Optional<?> optional) {
      return optional.isEmpty();
    }
    if (content instanceof Map<?, ?> map) {
      return map.isEmpty();
    }
    if (content instanceof Collection<?> elements) {
      return elements.isEmpty();
    }
    if (content.getClass().isArray()) {
      return Array.getLength(content) == 0;
    }
    String name = content.getClass().getName();
    return content instanceof Iterable<?> elements
        ? LIBRARIES.stream().anyMatch(name::startsWith) && !elements.iterator().hasNext()
        : name.equals("com.google.common.base.Absent");
  }

  private static <T> Finding read(AnswerType<T> type, Object answer) {
    return type.read(type.type().cast(answer));
  }

  /** The rule of each class, found once. */
  private static final class Rules extends ClassValue<Rule> {

    private final Supplier<? extends List<? extends AnswerType<?>>> types;

    Rules(Supplier<? extends List<? extends AnswerType<?>>> types) {
      this.types = types;
    }

    @Override
    protected Rule computeValue(Class<?> type) {
      AnswerType<?> nearest = null;
      for (AnswerType<?> one : types.get()) {
        Class<?> its = one.type();
        if (its.isAssignableFrom(type)
            && (nearest == null
                || (its != nearest.type() && nearest.type().isAssignableFrom(its)))) {
          nearest = one;
        }
      }
      return new Rule(nearest, Throwable.class.isAssignableFrom(type) && isNotFound(type));
    }

    private static boolean isNotFound(@Nullable Class<?> failure) {
      return failure != null
          && (NOT_FOUND.contains(failure.getName()) || isNotFound(failure.getSuperclass()));
    }
  }

  private record Rule(@Nullable AnswerType<?> type, boolean notFound) {}
}

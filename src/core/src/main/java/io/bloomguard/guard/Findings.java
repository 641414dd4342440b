package io.bloomguard.guard;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the ends of loads show of their keys: the one rule of methods, verification and cache.
 *
 * <p>Null is nothing, and an {@link AnswerType} reads its own instances. False and zero are
 * unclear. An empty container within another answer is unclear, and so is what holds nothing but
 * such containers: that answer may stand for a key without rows. A type that may or may not carry a
 * value is unclear too. Each other object is a value. An exception that says "not found" shows that
 * a key is absent, each other one shows nothing.
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

  /** The packages of types that carry what their names say, whatever their type parameters. */
  private static final List<String> PLAIN_PACKAGES = List.of("java.", "com.google.common.base.");

  /** The packages whose types with type parameters may get their value later, or never. */
  private static final List<String> LATER = List.of("java.util.concurrent.", "java.util.function.");

  private static final List<String> MAPS =
      List.of("java.", "kotlin.", "com.google.common.", "io.vavr.", "org.springframework.");

  /**
   * Hibernate's own test whether an object has been read, for the classes that may be proxies,
   * collections or enhanced entities of it; found by name, since Hibernate may be absent.
   */
  private static final ClassValue<Optional<Method>> INITIALIZED =
      new ClassValue<>() {
        @Override
        protected Optional<Method> computeValue(Class<?> type) {
          Class<?> own = ofHibernate(type);
          try {
            return own == null
                ? Optional.empty()
                : Optional.of(
                    Class.forName("org.hibernate.Hibernate", false, own.getClassLoader())
                        .getMethod("isInitialized", Object.class));
          } catch (ReflectiveOperationException | LinkageError e) {
            return Optional.empty();
          }
        }
      };

  /** The depth to which an answer is searched for content, and the elements at each level. */
  private static final int DEPTH = 3;

  private static final int ELEMENTS = 16;

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
    Finding found = content(answer, DEPTH);
    return unclear && found == Finding.VALUE ? Finding.UNCLEAR : found;
  }

  /**
   * {@return what the end of a load shows of its key}
   *
   * @param answer its result; null for none
   * @param failure its failure; null if it returned
   */
  public Finding of(@Nullable Object answer, @Nullable Throwable failure) {
    return failure == null ? of(answer) : ofFailure(failure);
  }

  /** What an answer shows, or what it carries. */
  private Finding content(Object answer, int depth) {
    Rule rule = rules.get(answer.getClass());
    AnswerType<?> type = rule.type();
    if (type == null) {
      return rule.wrapper() || mayBeNone(answer, depth) ? Finding.UNCLEAR : Finding.VALUE;
    }
    Finding found = read(type, answer);
    Object carried = found == Finding.VALUE && depth > 0 ? carried(type, answer) : null;
    return carried == null ? found : content(carried, depth - 1);
  }

  /**
   * {@return whether instances of a class may or may not carry a value, which nothing tells} So may
   * a type with type parameters, such as {@code Result<T>}, a map class of an application, and an
   * iterable that is no collection.
   *
   * @param type the class
   */
  public static boolean isWrapper(Class<?> type) {
    String name = type.getName();
    if (Map.class.isAssignableFrom(type)) {
      return !Modifier.isAbstract(type.getModifiers()) && MAPS.stream().noneMatch(name::startsWith);
    }
    boolean iterable = Iterable.class.isAssignableFrom(type);
    return !Collection.class.isAssignableFrom(type)
        && (iterable || type.getTypeParameters().length > 0)
        && (LATER.stream().anyMatch(name::startsWith)
            || (!name.startsWith("java.")
                && (iterable ? LIBRARIES : PLAIN_PACKAGES).stream().noneMatch(name::startsWith)));
  }

  private static boolean mayBeNone(Object answer, int depth) {
    try {
      return isNone(answer, depth);
    } catch (RuntimeException | LinkageError e) {
      // A record that is not open to reflection (in another module, or in a native image), or a
      // collection that its closed session would have to fill.
      return false;
    }
  }

  /** Whether an object is false, zero, or hollow: as a whole it may stand for a missing row. */
  private static boolean isNone(@Nullable Object held, int depth) {
    return isZero(held) || isHollow(held, depth);
  }

  /** An interface of Hibernate that a class implements; null for none. */
  private static @Nullable Class<?> ofHibernate(@Nullable Class<?> type) {
    if (type == null || (type.isInterface() && type.getName().startsWith("org.hibernate."))) {
      return type;
    }
    Class<?> found = ofHibernate(type.getSuperclass());
    for (Class<?> implemented : type.getInterfaces()) {
      found = found == null ? ofHibernate(implemented) : found;
    }
    return found;
  }

  /**
   * {@return whether an object stands for one that has not been read: a lazy reference or
   * collection of Hibernate} Any use of it would read it.
   *
   * @param content not null
   */
  public static boolean isUnread(Object content) {
    Method initialized = INITIALIZED.get(content.getClass()).orElse(null);
    try {
      return initialized != null && Boolean.FALSE.equals(initialized.invoke(null, content));
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }

  /** Whether an object holds only nulls, empty containers, and what holds only these. */
  private static boolean isHollow(@Nullable Object held, int depth) {
    if (held == null || isUnread(held) || isEmpty(held)) {
      return true;
    }
    if (depth == 0) {
      return false;
    }
    if (held instanceof Optional<?> optional) {
      return isNone(optional.orElse(null), depth - 1);
    }
    if (held instanceof Record structure) {
      return isBare(parts(structure), depth);
    }
    if (held instanceof Map.Entry<?, ?> entry) {
      return isBare(Arrays.asList(entry.getKey(), entry.getValue()), depth);
    }
    if (held instanceof Map<?, ?> map) {
      return map.size() <= ELEMENTS && isBare(map.values(), depth);
    }
    Collection<?> elements =
        held instanceof Object[] array
            ? Arrays.asList(array)
            : held instanceof Collection<?> collection ? collection : null;
    return elements != null
        && elements.size() <= ELEMENTS
        && elements.stream().allMatch(element -> isNone(element, depth - 1));
  }

  /**
   * Whether the parts of a record, map or entry are no more than its key: one at most beside zeros,
   * false, and what is hollow, of which there is one.
   */
  private static boolean isBare(Collection<?> parts, int depth) {
    int filled = 0;
    boolean hollow = false;
    for (Object part : parts) {
      if (isHollow(part, depth - 1)) {
        hollow = true;
      } else if (!isZero(part) && ++filled > 1) {
        return false;
      }
    }
    return hollow || filled == 0;
  }

  private static List<?> parts(Record structure) {
    List<Object> parts = new ArrayList<>();
    try {
      for (RecordComponent component : structure.getClass().getRecordComponents()) {
        Method accessor = component.getAccessor();
        accessor.setAccessible(true);
        parts.add(accessor.invoke(structure));
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
    return parts;
  }

  private static boolean isZero(@Nullable Object part) {
    return Boolean.FALSE.equals(part)
        || (part instanceof Number number && number.doubleValue() == 0);
  }

  private Finding ofFailure(Throwable failure) {
    Throwable cause = Failures.unwrapped(failure);
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

  private static <T> @Nullable Object carried(AnswerType<T> type, Object answer) {
    return type.content(type.type().cast(answer));
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
      return new Rule(
          nearest, Throwable.class.isAssignableFrom(type) && isNotFound(type), isWrapper(type));
    }

    private static boolean isNotFound(@Nullable Class<?> failure) {
      return failure != null
          && (NOT_FOUND.contains(failure.getName()) || isNotFound(failure.getSuperclass()));
    }
  }

  private record Rule(@Nullable AnswerType<?> type, boolean notFound, boolean wrapper) {}
}

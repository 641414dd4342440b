package io.bloomguard.aop;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomKey;
import io.bloomguard.annotation.BloomPut;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * The methods of guarded beans that write without telling the guard: what they insert would be
 * rejected, what they change or delete would be answered from the cache.
 *
 * <p>Mostly those that a repository inherits. They are told by name, or by the annotations of
 * Spring Data and MyBatis.
 */
public final class UnguardedWrites {

  /** What to do about them. */
  public enum Policy {
    /** They are named in the log, once for each bean. */
    WARN,
    /** The application does not start. */
    FAIL,
    /** Nothing. */
    IGNORE
  }

  private static final Logger LOG = LoggerFactory.getLogger(UnguardedWrites.class);

  private static final Pattern NAMES =
      Pattern.compile("(save|insert|update|delete|remove|persist|merge|upsert)(?![a-z]).*");

  /** By name, for their libraries may be absent. */
  private static final Set<String> ANNOTATIONS =
      Set.of(
          "org.springframework.data.jpa.repository.Modifying",
          "org.springframework.data.jdbc.repository.query.Modifying",
          "org.springframework.data.r2dbc.repository.Modifying",
          "org.apache.ibatis.annotations.Insert",
          "org.apache.ibatis.annotations.InsertProvider",
          "org.apache.ibatis.annotations.Update",
          "org.apache.ibatis.annotations.UpdateProvider",
          "org.apache.ibatis.annotations.Delete",
          "org.apache.ibatis.annotations.DeleteProvider");

  private static final @Nullable Class<?> REPOSITORY =
      find("org.springframework.data.repository.Repository");

  private final Policy policy;

  public UnguardedWrites(Policy policy) {
    this.policy = policy;
  }

  /**
   * Looks at the methods of a bean.
   *
   * @param guarded the filters that its lookups ask
   * @throws GuardedMethodException if some write unguarded, and that is to fail the start
   */
  void check(Class<?> type, Set<String> guarded) {
    if (policy == Policy.IGNORE || guarded.isEmpty()) {
      return;
    }
    Map<String, Set<String>> writes = find(type, guarded);
    if (writes.isEmpty()) {
      return;
    }
    String problem =
        writes.entrySet().stream()
            .map(filter -> String.join(", ", filter.getValue()) + " ('" + filter.getKey() + "')")
            .collect(
                Collectors.joining(
                    "; ",
                    name(type)
                        + " has guarded lookups, and methods that write without telling the guard: ",
                    ""));
    String action =
        "Rows that these insert are rejected until the next rebuild, and what they change or delete"
            + " stays cached where the lookup keeps values. Put @BloomKey on the entity (Hibernate,"
            + " Spring Data JDBC), annotate the methods with @BloomPut or @BloomEvict, keep no values"
            + " (caching = NULLS on the lookup) where a method does not know the key, or set"
            + " bloomguard.unguarded-writes=ignore";
    if (policy == Policy.FAIL) {
      throw new GuardedMethodException(name(type), problem, action);
    }
    LOG.warn("{}. {}", problem, action);
  }

  /** The names of the methods by filter. */
  private static Map<String, Set<String>> find(Class<?> type, Set<String> guarded) {
    Set<String> open = new TreeSet<>(guarded);
    open.removeAll(keyed(type));
    Map<String, Set<String>> writes = new TreeMap<>();
    for (Method method : methods(type)) {
      if (isWrite(method)) {
        Set<String> told =
            Stream.concat(
                    filters(BloomPut.class, BloomPut::filter, method, type),
                    filters(BloomEvict.class, BloomEvict::filter, method, type))
                .collect(Collectors.toSet());
        open.stream()
            .filter(filter -> !told.contains(filter))
            .forEach(
                filter ->
                    writes.computeIfAbsent(filter, f -> new TreeSet<>()).add(method.getName()));
      }
    }
    return writes;
  }

  /**
   * Of a proxy those of the application's interfaces; that of a repository has Spring's as well.
   */
  private static List<Method> methods(Class<?> type) {
    Class<?>[] types = Proxy.isProxyClass(type) ? type.getInterfaces() : new Class<?>[] {type};
    return Stream.of(types)
        .filter(declaring -> !declaring.getName().startsWith("org.springframework."))
        .flatMap(declaring -> Stream.of(declaring.getMethods()))
        .toList();
  }

  private static boolean isWrite(Method method) {
    if (method.isBridge()
        || Modifier.isStatic(method.getModifiers())
        || AnnotatedMethod.find(BloomGuarded.class, method, method.getDeclaringClass()) != null) {
      return false;
    }
    MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
    return NAMES.matcher(method.getName()).matches()
        || ANNOTATIONS.stream().anyMatch(annotations::isPresent);
  }

  private static <A extends Annotation> Stream<String> filters(
      Class<A> annotation, Function<A, String> filter, Method method, Class<?> type) {
    AnnotatedMethod<A> found = AnnotatedMethod.find(annotation, method, type);
    return found == null ? Stream.empty() : found.annotations().stream().map(filter);
  }

  /** The filters that are told by the entity of a Spring Data repository itself. */
  private static Set<String> keyed(Class<?> type) {
    Set<String> filters = new TreeSet<>();
    Class<?> entity =
        REPOSITORY == null ? null : ResolvableType.forClass(type).as(REPOSITORY).resolveGeneric(0);
    for (Class<?> c = entity; c != null; c = c.getSuperclass()) {
      Stream.of(
              Stream.of(c),
              Arrays.stream(c.getDeclaredFields()),
              Arrays.stream(c.getDeclaredMethods()))
          .flatMap(elements -> elements.map(AnnotatedElement.class::cast))
          .flatMap(element -> Arrays.stream(element.getDeclaredAnnotationsByType(BloomKey.class)))
          .forEach(key -> filters.add(key.filter()));
    }
    return filters;
  }

  /** A repository is named by its interface, not by the proxy that implements it. */
  private static String name(Class<?> type) {
    return Proxy.isProxyClass(type) ? type.getInterfaces()[0].getTypeName() : type.getTypeName();
  }

  private static @Nullable Class<?> find(String name) {
    try {
      return ClassUtils.forName(name, UnguardedWrites.class.getClassLoader());
    } catch (ClassNotFoundException | LinkageError e) {
      return null;
    }
  }
}

package io.bloomguard.aop.internal.statements;

import io.bloomguard.aop.MappedStatements.Kind;
import io.bloomguard.aop.internal.method.AnnotatedMethod;
import io.bloomguard.aop.internal.method.RowClasses;
import java.lang.reflect.Method;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** The methods of Spring Data's repositories that write by a query, past listeners to entities. */
final class QueryMethods {

  // By name, since each module of Spring Data may be absent.
  private static final Pattern MODIFYING =
      Pattern.compile("org\\.springframework\\.data\\..+\\.Modifying");

  private static final Pattern QUERY = Pattern.compile("org\\.springframework\\.data\\..+\\.Query");

  private static final Pattern CHANGES = Pattern.compile("(?is)\\s*(update|delete)\\b.*");

  private static final Pattern DELETES = Pattern.compile("(delete|remove)(?![a-z]).*");

  private static final Pattern DERIVED = Pattern.compile("(delete|remove)\\w*By.*");

  private QueryMethods() {}

  /** The effect of a modifying query; null if the method has none, or one that is elsewhere. */
  static @Nullable Kind kind(Method method) {
    String query =
        annotations(method, MODIFYING).findAny().isEmpty()
            ? ""
            : annotations(method, QUERY)
                .map(annotation -> annotation.getString("value"))
                .collect(Collectors.joining());
    return query.isBlank() ? null : CHANGES.matcher(query).matches() ? Kind.CHANGES : Kind.INSERTS;
  }

  /**
   * Whether a repository's method writes rows without loading them. A deletion by a name that no
   * interface of Spring Data declares is a query; that of JPA alone loads the rows first.
   */
  static boolean passListeners(Class<?> repository, Method method) {
    return annotations(method, MODIFYING).findAny().isPresent()
        || (DERIVED.matcher(method.getName()).matches()
            && RowAnnotations.isQueried(repository, method)
            && !isOfSpring(repository, method.getName()));
  }

  /** Whether a method that Spring Data declares deletes rows without loading them. */
  static boolean passAll(Class<?> repository, Method method) {
    return method.getName().endsWith("InBatch")
        || (method.getName().equals("deleteAll")
            && method.getParameterCount() == 0
            && RowAnnotations.isQueried(repository, method));
  }

  /**
   * Whether a repository's method deletes rows of Spring Data R2DBC, which reports saves alone. No
   * other module whose rows may have keys has repositories that return publishers, or suspend.
   */
  static boolean passCallbacks(Class<?> repository, Method method) {
    ReactiveAdapter published =
        ReactiveAdapterRegistry.getSharedInstance().getAdapter(method.getReturnType());
    return DELETES.matcher(method.getName()).matches()
        && RowClasses.ofRepository(repository) != null
        && (KotlinDetector.isSuspendingFunction(method)
            || (published != null && published.getDescriptor().isDeferred()));
  }

  private static boolean isOfSpring(Class<?> repository, String name) {
    return Stream.of(repository.getInterfaces())
        .anyMatch(
            each ->
                (AnnotatedMethod.isFramework(each)
                        && Stream.of(each.getMethods()).anyMatch(m -> m.getName().equals(name)))
                    || isOfSpring(each, name));
  }

  /** The annotations of a method whose types have such a name. */
  static Stream<MergedAnnotation<?>> annotations(Method method, Pattern type) {
    return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).stream()
        .filter(annotation -> type.matcher(annotation.getType().getName()).matches())
        .map(annotation -> (MergedAnnotation<?>) annotation);
  }
}

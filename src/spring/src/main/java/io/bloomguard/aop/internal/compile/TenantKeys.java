package io.bloomguard.aop.internal.compile;

import static org.springframework.core.annotation.MergedAnnotations.SearchStrategy.TYPE_HIERARCHY;

import io.bloomguard.aop.internal.method.AnnotatedMethod;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;

/**
 * The check for keys that carry the tenant: a name in them contains it; and for queries that choose
 * rows by more than their arguments.
 */
final class TenantKeys {

  private static final String WORD = "tenant";

  private static final Pattern QUOTED = Pattern.compile("'[^']*'|\"[^\"]*\"");

  /** Spring Data's annotations for queries, by name, since each of its modules may be absent. */
  private static final Pattern QUERY = Pattern.compile("org\\.springframework\\.data\\..+\\.Query");

  private static final Pattern VALUE = Pattern.compile("[:?]#\\{([^}]*)}");

  /** What an expression says of the arguments alone: their names, properties and operators. */
  private static final Pattern OF_ARGUMENTS =
      Pattern.compile(
          "#\\w+|\\.\\s*\\w+|\\bescape(?:Character)?\\s*\\("
              + "|\\b(?:null|true|false|and|or|not|eq|ne|lt|le|gt|ge|matches)\\b");

  private TenantKeys() {}

  /** Whether a key expression names the tenant. */
  static boolean namesTenant(String expression) {
    // A quoted part is text, not a name.
    return QUOTED.matcher(expression).replaceAll("").toLowerCase(Locale.ROOT).contains(WORD);
  }

  /**
   * The reason why a repository's method finds other rows for other callers, as a clause: its query
   * has an expression such as {@code ?#{principal.username}}. Null if it has none.
   */
  static @Nullable String queryReason(Method method) {
    return MergedAnnotations.from(method).stream()
        .filter(annotation -> QUERY.matcher(annotation.getType().getName()).matches())
        .flatMap(TenantKeys::texts)
        .flatMap(text -> VALUE.matcher(text).results())
        .map(MatchResult::group)
        .filter(TenantKeys::asksElsewhere)
        .findFirst()
        .map(value -> "its query has " + value + ", which is more than the method's arguments")
        .orElse(null);
  }

  /**
   * Whether MyBatis-Plus' {@code @InterceptorIgnore} has a mapper's method find rows of all
   * tenants, whatever the thread says.
   */
  static boolean areIgnored(AnnotatedMethod<?> method) {
    return Stream.<AnnotatedElement>of(method.specific(), method.declared(), method.target())
        .flatMap(element -> MergedAnnotations.from(element, TYPE_HIERARCHY).stream())
        .filter(each -> each.getType().getSimpleName().equals("InterceptorIgnore"))
        .map(each -> each.getValue("tenantLine", String.class).orElse(""))
        .anyMatch(value -> value.matches("(?i)true|1|on|yes"));
  }

  private static Stream<String> texts(MergedAnnotation<?> query) {
    return query.asMap().values().stream()
        .flatMap(
            value ->
                value instanceof String[] many ? Arrays.stream(many) : Stream.of(value.toString()));
  }

  private static boolean asksElsewhere(String value) {
    String rest = OF_ARGUMENTS.matcher(QUOTED.matcher(value).replaceAll("")).replaceAll("");
    return rest.chars().anyMatch(c -> c == '@' || Character.isLetter(c));
  }
}

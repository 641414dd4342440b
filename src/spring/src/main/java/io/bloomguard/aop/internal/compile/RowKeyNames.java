package io.bloomguard.aop.internal.compile;

import io.bloomguard.annotation.BloomKey;
import io.bloomguard.filter.internal.CanonicalKey;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * The property by which a row names its key: that of its {@link BloomKey}, or the one after which
 * the parameter of the keys is called ({@code isbns}, {@code isbnList}), the row's id for {@code
 * ids}.
 */
final class RowKeyNames {

  /** Of JPA, Spring Data and MyBatis-Plus, by name, since they may be absent. */
  private static final Set<String> IDS = Set.of("Id", "EmbeddedId", "TableId");

  private RowKeyNames() {}

  /** The property of a row; null if it has none that can be a key. */
  static @Nullable PropertyPath of(ResolvableType row, String filter, String parameter) {
    Class<?> type = row.resolve(Object.class);
    if (type.isPrimitive() || type.getName().startsWith("java.")) {
      return null;
    }
    for (String name : names(type, filter, parameter)) {
      PropertyPath path = path(row, name);
      if (path != null && CanonicalKey.supports(path.type().resolve(Object.class))) {
        return path;
      }
    }
    return null;
  }

  private static @Nullable PropertyPath path(ResolvableType row, String name) {
    try {
      return PropertyPath.compile(row, Arrays.asList(name.split("\\.", -1)));
    } catch (IllegalArgumentException e) { // no such property
      Field field = ReflectionUtils.findField(row.resolve(Object.class), name);
      return field == null ? null : PropertyPath.of(field, row);
    }
  }

  private static Set<String> names(Class<?> type, String filter, String parameter) {
    String key = key(parameter);
    Set<String> names = new LinkedHashSet<>();
    boolean byId = key.equals("id") || key.equals("key");
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      for (MergedAnnotation<BloomKey> keyed : keyed(each, filter)) {
        String attribute = keyed.getString("attribute");
        byId |= attribute.isEmpty();
        names.add(attribute.isEmpty() ? "id" : attribute);
      }
      members(each)
          .filter(m -> !keyed((AnnotatedElement) m, filter).isEmpty())
          .forEach(m -> names.add(property(m)));
    }
    names.add(key);
    if (key.endsWith("Id") && isNamed(type, key.substring(0, key.length() - 2))) {
      byId = true;
    }
    if (byId) {
      for (Class<?> each = type; each != null; each = each.getSuperclass()) {
        members(each).filter(RowKeyNames::isId).forEach(m -> names.add(property(m)));
      }
      names.add("id");
    }
    names.remove(""); // of a parameter without a name
    return names;
  }

  /** The name of one key of a parameter. */
  static String key(String parameter) {
    return parameter.replaceFirst("(?<=.)(List|Set|Array|Collection|s)$", "");
  }

  private static boolean isNamed(Class<?> type, String name) {
    return type.getSimpleName().toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT));
  }

  private static List<MergedAnnotation<BloomKey>> keyed(AnnotatedElement element, String filter) {
    return MergedAnnotations.from(element, SearchStrategy.DIRECT).stream(BloomKey.class)
        .filter(key -> key.getString("filter").equals(filter))
        .toList();
  }

  private static Stream<Member> members(Class<?> type) {
    return Stream.concat(
        Arrays.stream(type.getDeclaredFields()), Arrays.stream(type.getDeclaredMethods()));
  }

  private static boolean isId(Member member) {
    return Arrays.stream(((AnnotatedElement) member).getAnnotations())
        .map(Annotation::annotationType)
        .anyMatch(type -> IDS.contains(type.getSimpleName()));
  }

  private static String property(Member member) {
    return member instanceof Field
        ? member.getName()
        : StringUtils.uncapitalizeAsProperty(member.getName().replaceFirst("^(get|is)(?=.)", ""));
  }
}

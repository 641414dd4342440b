package io.bloomguard.aop.internal.method;

import io.bloomguard.annotation.BloomKey;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** What classes of rows, and repositories of Spring Data, tell of the rows' keys. */
public final class RowClasses {

  /** Of JPA, Spring Data and MyBatis-Plus, by name, since they may be absent. */
  private static final Set<String> IDS = Set.of("Id", "EmbeddedId", "TableId");

  /** The attributes of a key that is the id, whatever that is called or as it mostly is. */
  private static final Set<String> IDS_BY_NAME = Set.of("", "id");

  private static final String REPOSITORY = "org.springframework.data.repository.Repository";

  private static final @Nullable Class<?> REPOSITORIES =
      ClassUtils.isPresent(REPOSITORY, RowClasses.class.getClassLoader())
          ? ClassUtils.resolveClassName(REPOSITORY, RowClasses.class.getClassLoader())
          : null;

  private RowClasses() {}

  /**
   * One {@link BloomKey}.
   *
   * @param filter its filter
   * @param property the path of the key; empty for the id, whatever that is called
   * @param id whether the key is the id
   */
  public record Keyed(String filter, String property, boolean id) {}

  /** The keys of a class, of its fields and methods, and those of the classes that it extends. */
  public static Stream<Keyed> keys(@Nullable Class<?> rows) {
    if (rows == null || rows == Object.class) {
      return Stream.empty();
    }
    Stream<Keyed> own =
        annotations(rows)
            .map(
                key ->
                    new Keyed(
                        key.filter(), key.attribute(), IDS_BY_NAME.contains(key.attribute())));
    Stream<Keyed> ofMembers =
        members(rows)
            .flatMap(
                member ->
                    annotations((AnnotatedElement) member)
                        .map(key -> new Keyed(key.filter(), property(member), isId(member))));
    return Stream.concat(Stream.concat(own, ofMembers), keys(rows.getSuperclass()));
  }

  /** The properties that are annotated as the id of a class. */
  public static Stream<String> ids(@Nullable Class<?> rows) {
    return rows == null
        ? Stream.empty()
        : Stream.concat(
            members(rows).filter(RowClasses::isId).map(RowClasses::property),
            ids(rows.getSuperclass()));
  }

  private static Stream<BloomKey> annotations(AnnotatedElement element) {
    return MergedAnnotations.from(element, SearchStrategy.DIRECT).stream(BloomKey.class)
        .map(key -> key.synthesize());
  }

  private static Stream<Member> members(Class<?> type) {
    return Stream.concat(
        Arrays.stream(type.getDeclaredFields()), Arrays.stream(type.getDeclaredMethods()));
  }

  private static boolean isId(Member member) {
    return Arrays.stream(((AnnotatedElement) member).getAnnotations())
        .anyMatch(each -> IDS.contains(each.annotationType().getSimpleName()));
  }

  private static String property(Member member) {
    return member instanceof Field
        ? member.getName()
        : StringUtils.uncapitalizeAsProperty(member.getName().replaceFirst("^(get|is)(?=.)", ""));
  }

  /** The class of the rows of a Spring Data repository; null for any other class. */
  public static @Nullable Class<?> ofRepository(Class<?> repository) {
    return REPOSITORIES == null
        ? null
        : ResolvableType.forClass(repository).as(REPOSITORIES).resolveGeneric(0);
  }

  /** Whether a class is a repository of Spring Data. */
  public static boolean isRepository(Class<?> type) {
    return REPOSITORIES != null && REPOSITORIES.isAssignableFrom(type);
  }
}

package io.bloomguard.autoconfigure;

import io.bloomguard.data.internal.row.RowType;
import io.bloomguard.guard.KeyedClasses;
import io.bloomguard.guard.StartRefusedException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.springframework.core.io.support.ResourcePatternResolver;

/**
 * Refuses to start an application in which a class has a {@code @BloomKey} that nothing applies.
 */
final class EntityKeyVerifier {

  private EntityKeyVerifier() {}

  /**
   * Looks for every annotation.
   *
   * @param packages those of the application, and of its entities
   * @throws StartRefusedException for the first that is not applied
   */
  static void verify(
      Collection<String> packages, ResourcePatternResolver resources, List<KeyedClasses> known) {
    for (Class<?> type : AnnotatedClasses.in(packages, resources)) {
      if (known.stream().noneMatch(mapping -> mapping.contain(type))) {
        throw refusal(type, known.isEmpty());
      }
    }
  }

  private static StartRefusedException refusal(Class<?> type, boolean noMapping) {
    String methods = "use @BloomPut and @BloomEvict on the methods that write its rows";
    if (noMapping) {
      return RowType.refusal(
          type.getName(),
          "is not applied, since this application has neither Hibernate nor Spring Data JDBC or"
              + " R2DBC nor MyBatis",
          "Remove it, and " + methods);
    }
    if (is(type, "jakarta.persistence.Embeddable")) {
      return RowType.refusal(
          type.getName(),
          "is not applied, since an embeddable has no rows of its own",
          "Name its attribute on each entity that embeds it:"
              + " @BloomKey(attribute = \"embedded.attribute\")");
    }
    if (is(type, "jakarta.persistence.MappedSuperclass")) {
      return RowType.refusal(
          type.getName(),
          "is not applied, since no mapped entity extends this class",
          "Remove it, or move it to an entity");
    }
    return RowType.refusal(
        type.getName(),
        "is not applied, since neither Hibernate nor Spring Data JDBC or R2DBC maps this class"
            + " in this application, and no mapper of MyBatis takes it",
        "Have @EntityScan find its package if it is a JPA entity, or annotate it with Spring Data's"
            + " @Table if it is the root of an aggregate, or a row of R2DBC. Otherwise remove it,"
            + " and "
            + methods);
  }

  /** By name, for the library may be absent. */
  private static boolean is(Class<?> type, String annotation) {
    return Arrays.stream(type.getDeclaredAnnotations())
        .anyMatch(each -> each.annotationType().getName().equals(annotation));
  }
}

package io.bloomguard.jpa.internal;

import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.hibernate.annotations.Filter;
import org.hibernate.engine.spi.FilterDefinition;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.jspecify.annotations.Nullable;

/**
 * The check whether the rows of entity manager factories are divided among tenants. Loaded only if
 * Hibernate is present.
 */
final class Tenants {

  private Tenants() {}

  /**
   * {@return the reason why the rows of a factory are divided, whatever their entity, as a clause;
   * null if they are not}
   */
  static @Nullable String ofAll(Collection<EntityManagerFactory> factories) {
    for (SessionFactoryImplementor factory : of(factories).toList()) {
      if (factory.getSessionFactoryOptions().getCurrentTenantIdentifierResolver() != null) {
        return "may come from Hibernate, which resolves a tenant for each session";
      }
      for (FilterDefinition filter : factory.getAutoEnabledFilters()) {
        if (!filter.getParameterNames().isEmpty()) {
          return "may come from Hibernate, which enables the filter '%s' in each session"
              .formatted(filter.getFilterName());
        }
      }
    }
    return null;
  }

  /** {@return the names of the filters with parameters, each of which a session may enable} */
  static List<String> filters(Collection<EntityManagerFactory> factories) {
    return of(factories)
        .flatMap(
            factory ->
                factory.getDefinedFilterNames().stream()
                    .filter(
                        name -> !factory.getFilterDefinition(name).getParameterNames().isEmpty()))
        .distinct()
        .sorted()
        .toList();
  }

  /**
   * {@return the reason why the rows of one class are divided by a filter that sessions enable;
   * null if they are not} A filter without parameters chooses the same rows for every caller.
   */
  static @Nullable String ofClass(Class<?> mapped, Collection<EntityManagerFactory> factories) {
    return Arrays.stream(mapped.getDeclaredAnnotationsByType(Filter.class))
        .map(Filter::name)
        .filter(
            name ->
                of(factories)
                    .filter(factory -> factory.getDefinedFilterNames().contains(name))
                    .map(factory -> factory.getFilterDefinition(name))
                    .anyMatch(filter -> !filter.getParameterNames().isEmpty()))
        .findFirst()
        .map(name -> "has the @Filter '" + name + "', whose parameters differ by session")
        .orElse(null);
  }

  private static Stream<SessionFactoryImplementor> of(Collection<EntityManagerFactory> factories) {
    return factories.stream().flatMap(Tenants::unwrap);
  }

  private static Stream<SessionFactoryImplementor> unwrap(EntityManagerFactory factory) {
    try {
      return Stream.of(factory.unwrap(SessionFactoryImplementor.class));
    } catch (PersistenceException e) {
      return Stream.empty(); // of another provider
    }
  }
}

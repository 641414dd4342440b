package io.bloomguard.jpa.internal;

import io.bloomguard.guard.OwnedTypes;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.metamodel.ManagedType;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * JPA entities, which belong to the persistence context that loaded them: only that context writes
 * their changes, and their lazy associations end with it.
 *
 * <p>They are known from annotations and from the entity manager factories, since a file may map an
 * entity. Embeddables that are not records belong to their entity, and so do the proxies and
 * collections of Hibernate.
 */
public final class EntityTypes implements OwnedTypes {

  private static final Set<Class<? extends Annotation>> MAPPED =
      Set.of(Entity.class, MappedSuperclass.class, Embeddable.class);

  // By name, since Hibernate may be absent.
  private static final String PROXY = "org.hibernate.proxy.HibernateProxy";
  private static final String COLLECTIONS = "org.hibernate.collection.";
  private static final String TENANT = "org.hibernate.annotations.TenantId";

  private static final boolean HIBERNATE =
      ClassUtils.isPresent("org.hibernate.SessionFactory", EntityTypes.class.getClassLoader());

  private static final Logger LOG = LoggerFactory.getLogger(EntityTypes.class);

  private final Supplier<? extends Collection<EntityManagerFactory>> factories;
  private final Set<String> warned = ConcurrentHashMap.newKeySet();
  private final Supplier<Set<Class<?>>> managed = SingletonSupplier.of(this::managed);

  /**
   * The entity types of an application.
   *
   * @param factories the factories of the application, called for at the first check, not before
   */
  public EntityTypes(Supplier<? extends Collection<EntityManagerFactory>> factories) {
    this.factories = factories;
  }

  @Override
  public @Nullable String reason(Class<?> type) {
    for (Class<?> mapped = type; mapped != null; mapped = mapped.getSuperclass()) {
      if (isMapped(mapped)) {
        return mapped == type ? "is a JPA entity" : "extends a JPA entity";
      }
      if (mapped.getName().startsWith(COLLECTIONS)) {
        return "belongs to a JPA entity";
      }
      if (Stream.of(mapped.getInterfaces()).anyMatch(face -> face.getName().equals(PROXY))) {
        return "stands for a JPA entity";
      }
    }
    return null;
  }

  /** Whether a class is mapped. A record cannot be changed, so an embeddable one can be shared. */
  private boolean isMapped(Class<?> type) {
    return !type.isRecord()
        && (MAPPED.stream().anyMatch(type::isAnnotationPresent) || managed.get().contains(type));
  }

  private Set<Class<?>> managed() {
    return factories.get().stream()
        .flatMap(factory -> factory.getMetamodel().getManagedTypes().stream())
        .map(ManagedType::getJavaType)
        // An entity without a class has no type, or that of a map.
        .filter(type -> Objects.nonNull(type) && type != Map.class)
        .collect(Collectors.toUnmodifiableSet());
  }

  @Override
  public @Nullable String tenant(Class<?> type) {
    for (Class<?> mapped = type; mapped != null; mapped = mapped.getSuperclass()) {
      if (anyIsTenant(mapped.getDeclaredFields()) || anyIsTenant(mapped.getDeclaredMethods())) {
        return "has a @TenantId";
      }
      String filtered = HIBERNATE ? Tenants.ofClass(mapped, factories.get()) : null;
      if (filtered != null) {
        return filtered;
      }
    }
    String reason = HIBERNATE ? Tenants.ofAll(factories.get()) : null;
    if (HIBERNATE && reason == null) {
      Tenants.filters(factories.get()).stream().filter(warned::add).forEach(EntityTypes::warn);
    }
    return reason;
  }

  /** Warns, whatever the class: a value may be made of the rows of any entity. */
  private static void warn(String filter) {
    LOG.warn(
        "Sessions may enable Hibernate's filter '{}', whose parameters choose rows, and guarded"
            + " methods keep entries by keys without a tenant. If such a method reads rows of an"
            + " entity with this @Filter, one caller would get the row, or the null entry, of"
            + " another: make the tenant part of its key, or set caching = NONE",
        filter);
  }

  private static boolean anyIsTenant(AnnotatedElement[] members) {
    return Stream.of(members)
        .flatMap(member -> Stream.of(member.getDeclaredAnnotations()))
        .anyMatch(annotation -> annotation.annotationType().getName().equals(TENANT));
  }
}

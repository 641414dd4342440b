package io.bloomguard.jpa;

import io.bloomguard.guard.OwnedTypes;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Entity;
import jakarta.persistence.MappedSuperclass;
import java.lang.annotation.Annotation;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * JPA entities, which belong to the persistence context that loaded them: a change to one is
 * written by its own context alone, and its lazy associations end with it.
 *
 * <p>What an entity holds or stands behind belongs to it: embeddables that are not records, and the
 * proxies and collections of Hibernate.
 */
public final class EntityTypes implements OwnedTypes {

  private static final Set<Class<? extends Annotation>> MAPPED =
      Set.of(Entity.class, MappedSuperclass.class, Embeddable.class);

  /** By name, for Hibernate may be absent. */
  private static final String PROXY = "org.hibernate.proxy.HibernateProxy";

  private static final String COLLECTIONS = "org.hibernate.collection.";

  @Override
  public @Nullable String reason(Class<?> type) {
    for (Class<?> mapped = type; mapped != null; mapped = mapped.getSuperclass()) {
      // A record cannot be changed, so an embeddable one can be shared.
      if (!mapped.isRecord() && MAPPED.stream().anyMatch(mapped::isAnnotationPresent)) {
        return mapped == type ? "is a JPA entity" : "extends a JPA entity";
      }
      if (mapped.getName().startsWith(COLLECTIONS)) {
        return "belongs to a JPA entity";
      }
      for (Class<?> face : mapped.getInterfaces()) {
        if (face.getName().equals(PROXY)) {
          return "stands for a JPA entity";
        }
      }
    }
    return null;
  }
}

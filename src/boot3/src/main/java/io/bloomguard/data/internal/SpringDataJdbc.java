package io.bloomguard.data.internal;

import org.jspecify.annotations.Nullable;
import org.springframework.data.mapping.PersistentPropertyPath;
import org.springframework.data.mapping.PropertyReferenceException;
import org.springframework.data.mapping.context.InvalidPersistentPropertyPath;
import org.springframework.data.relational.core.conversion.DbAction;
import org.springframework.data.relational.core.conversion.IdValueSource;
import org.springframework.data.relational.core.mapping.RelationalMappingContext;
import org.springframework.data.relational.core.mapping.RelationalPersistentEntity;
import org.springframework.data.relational.core.mapping.RelationalPersistentProperty;

/** Calls of Spring Data that each generation of it has under names of its own. */
final class SpringDataJdbc {

  private SpringDataJdbc() {}

  /** The path from an aggregate's root to a property, null if there is no such property. */
  static @Nullable PersistentPropertyPath<RelationalPersistentProperty> path(
      RelationalMappingContext context, RelationalPersistentEntity<?> entity, String name) {
    try {
      return context.getPersistentPropertyPath(name, entity.getType());
    } catch (InvalidPersistentPropertyPath | PropertyReferenceException e) {
      return null;
    }
  }

  static IdValueSource idSource(DbAction.InsertRoot<?> insert) {
    return insert.getIdValueSource();
  }
}

package io.bloomguard.data.internal;

import io.bloomguard.data.internal.MappedAggregate.Columns;
import io.bloomguard.data.internal.row.KeyedTypes;
import io.bloomguard.data.internal.row.KeyedTypes.Keyed;
import io.bloomguard.guard.internal.EntryGuards;
import java.util.Collection;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.data.relational.core.mapping.RelationalMappingContext;
import org.springframework.data.relational.core.mapping.RelationalPersistentEntity;
import org.springframework.data.relational.core.mapping.RelationalPersistentProperty;

/** The aggregates of one mapping context that have a {@code @BloomKey}. */
final class KeyedAggregates {

  private final RelationalMappingContext context;
  private final Columns columns;
  private final KeyedTypes<Object> rows;

  /**
   * @param scopes the column of the scope of a filter's keys, null for none
   * @param columns the forms of values in columns
   */
  KeyedAggregates(
      RelationalMappingContext context,
      Function<String, @Nullable String> scopes,
      Columns columns) {
    this.context = context;
    this.columns = columns;
    this.rows = new KeyedTypes<>(scopes);
  }

  /** The entity of a class. */
  RelationalPersistentEntity<?> entity(Class<?> type) {
    return context.getRequiredPersistentEntity(type);
  }

  /** The attribute that is the id of a class. */
  @Nullable RelationalPersistentProperty id(Keyed<Object> keyed) {
    return keyed.type() instanceof MappedAggregate root ? root.entity().getIdProperty() : null;
  }

  /** The keys of a class; null if it has none. */
  @Nullable Keyed<Object> of(Class<?> type) {
    Keyed<Object> keyed = rows.of(type, () -> new MappedAggregate(context, entity(type), columns));
    return keyed.keys().isEmpty() ? null : keyed;
  }

  /** All classes that have been compiled. */
  Collection<Keyed<Object>> all() {
    return rows.all();
  }

  /** Compiles the keys of every class that the context knows. */
  private void compile() {
    for (RelationalPersistentEntity<?> entity : context.getPersistentEntities()) {
      Keyed<Object> keyed = of(entity.getType());
      if (keyed != null) {
        requireRoot(keyed, entity);
      }
    }
  }

  /**
   * Compiles the keys of all aggregates.
   *
   * @throws io.bloomguard.guard.EntityKeyException for the first that cannot be applied
   */
  void verify(EntryGuards guards) {
    compile();
    rows.verify(guards, filter -> false);
  }

  /** Whether the annotations that {@code type} declares are those of an aggregate's root. */
  boolean maps(Class<?> type) {
    compile();
    return rows.maps(type);
  }

  /** Refuses a key that is not of a root: Spring Data reports writes of the root only. */
  private void requireRoot(Keyed<Object> part, RelationalPersistentEntity<?> entity) {
    for (RelationalPersistentEntity<?> owner : context.getPersistentEntities()) {
      for (RelationalPersistentProperty property : owner) {
        if (property.isEntity() && property.getActualType() == entity.getType()) {
          throw part.type()
              .refusal(
                  "is not applied, since it is a part of the aggregate "
                      + owner.getType().getName(),
                  property.isEmbedded()
                      ? "Name its attribute on that: @BloomKey(attribute = \""
                          + property.getName()
                          + "...\")"
                      : "Use @BloomPut and @BloomEvict on the methods that write it");
        }
      }
    }
  }
}

package io.bloomguard.data.internal;

import io.bloomguard.data.internal.row.KeyedTypes;
import io.bloomguard.data.internal.row.KeyedTypes.Keyed;
import io.bloomguard.data.internal.row.RowGuards;
import io.bloomguard.guard.KeyedClasses;
import io.bloomguard.guard.StartRefusedException;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;
import org.springframework.data.relational.core.mapping.RelationalMappingContext;
import org.springframework.data.relational.core.mapping.RelationalPersistentEntity;
import org.springframework.data.relational.core.mapping.RelationalPersistentProperty;

/** The rows that Spring Data saves by the objects of its mapping context. */
abstract class SavedRows implements SmartInitializingSingleton, Ordered, KeyedClasses {

  final RowGuards guards;
  final KeyedTypes<Object> rows;
  private final RelationalMappingContext context;
  private final BiFunction<RelationalPersistentProperty, Object, @Nullable Object> columns;

  SavedRows(
      RowGuards guards,
      RelationalMappingContext context,
      BiFunction<RelationalPersistentProperty, Object, @Nullable Object> columns) {
    this.guards = guards;
    this.context = context;
    this.columns = columns;
    this.rows = new KeyedTypes<>(guards.scopes());
  }

  /** The order after the callbacks of the application, which may change the row. */
  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  /**
   * Compiles the keys of all rows.
   *
   * @throws StartRefusedException for the first that cannot be applied
   */
  @Override
  public void afterSingletonsInstantiated() {
    compile();
    rows.verify(guards.guards().get(), filter -> false);
  }

  @Override
  public boolean contain(Class<?> type) {
    compile();
    return rows.maps(type);
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

  /** The keys of a class; null if it has none. */
  @Nullable Keyed<Object> of(Class<?> type) {
    Keyed<Object> keyed = rows.of(type, () -> new MappedAggregate(context, entity(type), columns));
    return keyed.keys().isEmpty() ? null : keyed;
  }

  RelationalPersistentEntity<?> entity(Class<?> type) {
    return context.getRequiredPersistentEntity(type);
  }

  @Nullable Object idOf(Object row) {
    return entity(row.getClass()).getIdentifierAccessor(row).getIdentifier();
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
                      ? "Name its attribute on that: @BloomKey(attribute = \"%s...\")"
                          .formatted(property.getName())
                      : "Use @BloomPut and @BloomEvict on the methods that write it");
        }
      }
    }
  }

  /** The refusal of a save that tells its key, which the database draws, too late. */
  static IllegalStateException drawnAlone(Keyed<Object> keyed) {
    return new IllegalStateException(
        ("The database draws the id of %s, so its key is known only once the row is written, and"
                + " without a transaction it is visible by then. Save it within a transaction")
            .formatted(keyed.type().name()));
  }
}

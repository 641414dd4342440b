package io.bloomguard.jpa.internal;

import io.bloomguard.guard.internal.KeyScope;
import io.bloomguard.guard.internal.KeyedAttribute;
import io.bloomguard.guard.internal.writes.GatheredWrites;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.hibernate.annotations.TenantId;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.type.CompositeType;
import org.jspecify.annotations.Nullable;

/**
 * The key that a filter holds for each row of an entity.
 *
 * @param filter the name of the filter
 * @param paths the path to the key, or to each of its parts
 * @param scope the path to the scope of the key; null if the rows have none
 * @param follows whether the key is the id of another row, whose own writes add it: those of this
 *     entity only drop its entries
 */
record EntityKey(String filter, List<KeyPath> paths, @Nullable KeyPath scope, boolean follows) {

  /**
   * Compiles the key of {@code filter} that {@code attribute} names: empty for the id, several
   * attributes with commas for a key of parts.
   *
   * @param scopes the column of the scope of a filter's keys, null for none
   */
  static EntityKey of(
      EntityPersister persister,
      String filter,
      String attribute,
      Function<String, @Nullable String> scopes) {
    String column = scopes.apply(filter);
    String scope = column == null ? null : scope(persister, column);
    List<KeyPath> paths =
        parts(persister, attribute).stream()
            .map(String::strip)
            .filter(name -> !name.equals(scope))
            .map(name -> KeyPath.of(persister, name))
            .toList();
    return new EntityKey(
        filter, paths, scope == null ? null : KeyPath.of(persister, scope), /* follows= */ false);
  }

  /** The attribute in which a row has the scope of its key: Hibernate's own tenant first. */
  private static @Nullable String scope(EntityPersister persister, String column) {
    for (Class<?> type = persister.getMappedClass(); type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (field.isAnnotationPresent(TenantId.class)) {
          return field.getName();
        }
      }
    }
    return KeyScope.property(column, List.of(persister.getPropertyNames()));
  }

  /** The attributes of a key; a record as the id has its components as parts. */
  private static List<String> parts(EntityPersister persister, String attribute) {
    return KeyPath.isId(persister, attribute)
            && persister.getIdentifierType() instanceof CompositeType id
            && id.getReturnedClass().isRecord()
            && id.getPropertyNames().length > 1
        ? Arrays.stream(id.getReturnedClass().getRecordComponents())
            .map(part -> KeyPath.within(persister.getIdentifierPropertyName(), part.getName()))
            .toList()
        : List.of(attribute.split(",", -1));
  }

  /** This key, which the writes of its target add. */
  EntityKey following() {
    return new EntityKey(filter, paths, scope, /* follows= */ true);
  }

  /** The root entity whose id the key is; null for none. */
  @Nullable String target() {
    return paths.size() == 1 ? paths.get(0).target() : null;
  }

  /** The row's key; null if an attribute is null, was not loaded or is not generated yet. */
  @Nullable Object of(@Nullable Object id, @Nullable Object @Nullable [] state) {
    Object key = withoutScope(id, state);
    Object own = key == null || scope == null ? null : scope.of(id, state);
    return key == null || own == null ? key : KeyScope.Scoped.of(own, key);
  }

  private @Nullable Object withoutScope(@Nullable Object id, @Nullable Object @Nullable [] state) {
    if (paths.size() == 1) {
      return paths.get(0).of(id, state);
    }
    List<@Nullable Object> values = new ArrayList<>(paths.size());
    paths.forEach(path -> values.add(path.of(id, state)));
    return values.contains(null) ? null : values;
  }

  /** Describes the attributes of the key to the guards. */
  List<KeyedAttribute> describe(String entity, KeyedEntities entities) {
    return paths.stream()
        .map(
            path ->
                new KeyedAttribute(
                    entity,
                    path.attribute().isEmpty() ? "its id" : "'" + path.attribute() + "'",
                    path.form().type(),
                    path.form().samples(),
                    paths.size() > 1,
                    isWholeId() && entities.removes(filter),
                    target() != null && !follows))
        .toList();
  }

  /** Gathers the effect of an insert. */
  void added(GatheredWrites writes, @Nullable Object id, @Nullable Object @Nullable [] state) {
    if (!follows) {
      writes.add(filter, of(id, state));
    } else {
      writes.change(filter, of(id, state));
    }
  }

  /** Gathers the effect of a change. */
  void updated(
      GatheredWrites writes,
      @Nullable Object id,
      @Nullable Object @Nullable [] before,
      @Nullable Object @Nullable [] after) {
    if (!follows) {
      writes.update(filter, of(id, before), of(id, after));
    } else {
      writes.change(filter, of(id, before));
      writes.change(filter, of(id, after));
    }
  }

  /** Gathers a key that the database has set, unless it was gathered before. */
  void generated(GatheredWrites writes, @Nullable Object id, @Nullable Object[] state) {
    if (!follows) {
      writes.addUnlessKnown(filter, of(id, state));
    } else {
      writes.change(filter, of(id, state));
    }
  }

  /** Whether a row keeps this key for as long as it lives. */
  boolean isId() {
    return paths.stream().allMatch(KeyPath::isId);
  }

  /** Whether it is the whole id, which no two rows have. */
  boolean isWholeId() {
    return paths.size() == 1 && paths.get(0).isWholeId();
  }
}

package io.bloomguard.data;

import io.bloomguard.filter.CanonicalKey;
import io.bloomguard.guard.EntityKeyException;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mapping.AccessOptions;
import org.springframework.data.mapping.AccessOptions.GetOptions;
import org.springframework.data.mapping.AccessOptions.GetOptions.GetNulls;
import org.springframework.data.mapping.PersistentPropertyPath;
import org.springframework.data.relational.core.mapping.RelationalMappingContext;
import org.springframework.data.relational.core.mapping.RelationalPersistentEntity;
import org.springframework.data.relational.core.mapping.RelationalPersistentProperty;

/**
 * The key that a filter holds for each row of an aggregate's root.
 *
 * @param filter the name of the filter
 * @param path the path from the root to the key
 * @param isId whether it is the root's id
 */
record AggregateKey(
    String filter, PersistentPropertyPath<RelationalPersistentProperty> path, boolean isId) {

  /** If an embedded object is null, its properties are null too. */
  private static final GetOptions NULLS =
      AccessOptions.defaultGetOptions().withNullValues(GetNulls.EARLY_RETURN);

  /** Compiles the key of {@code filter} that {@code attribute} names; empty for the id. */
  static AggregateKey of(
      RelationalMappingContext context,
      RelationalPersistentEntity<?> entity,
      String filter,
      String attribute) {
    RelationalPersistentProperty id = entity.getIdProperty();
    if (attribute.isEmpty() && id == null) {
      throw refusal(
          entity, "has no id", "Name an attribute that is a key: @BloomKey(attribute = \"...\")");
    }
    String name = attribute.isEmpty() && id != null ? id.getName() : attribute;
    PersistentPropertyPath<RelationalPersistentProperty> path =
        SpringDataJdbc.path(context, entity, name);
    if (path == null) {
      throw unknown(entity, name);
    }
    RelationalPersistentProperty leaf = path.getLeafProperty();
    if (leaf.isTransient()) {
      throw unknown(entity, name);
    }
    boolean single = !leaf.isEntity() && !leaf.isCollectionLike() && !leaf.isMap();
    if (!single || !CanonicalKey.supports(leaf.getType())) {
      throw refusal(
          entity,
          "names the attribute '"
              + name
              + "' of type "
              + leaf.getType().getTypeName()
              + ", which cannot be a key",
          "Name an attribute that is text, an integral number, a UUID or an enum");
    }
    return new AggregateKey(filter, path, path.getLength() == 1 && leaf.isIdProperty());
  }

  private static EntityKeyException unknown(RelationalPersistentEntity<?> entity, String name) {
    TreeSet<String> known = new TreeSet<>();
    entity.forEach(property -> known.add(property.getName()));
    return refusal(
        entity,
        "names the attribute '" + name + "', which it does not have",
        "Name one of " + known);
  }

  static EntityKeyException refusal(
      RelationalPersistentEntity<?> entity, String problem, String action) {
    return new EntityKeyException(entity.getType().getName(), problem, action);
  }

  /** The key of a root, null if it has none yet. */
  @Nullable Object of(RelationalPersistentEntity<?> entity, Object root) {
    return entity.getPropertyPathAccessor(root).getProperty(path, NULLS);
  }
}

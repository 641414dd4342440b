package io.bloomguard.data.internal;

import io.bloomguard.data.internal.row.RowPath;
import io.bloomguard.data.internal.row.RowType;
import io.bloomguard.filter.internal.CanonicalKey;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mapping.AccessOptions;
import org.springframework.data.mapping.AccessOptions.GetOptions;
import org.springframework.data.mapping.AccessOptions.GetOptions.GetNulls;
import org.springframework.data.mapping.PersistentPropertyPath;
import org.springframework.data.relational.core.mapping.RelationalMappingContext;
import org.springframework.data.relational.core.mapping.RelationalPersistentEntity;
import org.springframework.data.relational.core.mapping.RelationalPersistentProperty;

/**
 * The root of an aggregate, as Spring Data maps it. A row is such an object.
 *
 * @param columns converts the values of attributes to those of their columns
 */
record MappedAggregate(
    RelationalMappingContext context,
    RelationalPersistentEntity<?> entity,
    BiFunction<RelationalPersistentProperty, Object, @Nullable Object> columns)
    implements RowType<Object> {

  /** If an embedded object is null, its properties are null too. */
  private static final GetOptions NULLS =
      AccessOptions.defaultGetOptions().withNullValues(GetNulls.EARLY_RETURN);

  @Override
  public String name() {
    return entity.getType().getName();
  }

  @Override
  public Class<?> type() {
    return entity.getType();
  }

  @Override
  public Collection<String> attributes() {
    return StreamSupport.stream(entity.spliterator(), false)
        .map(RelationalPersistentProperty::getName)
        .toList();
  }

  boolean hasIdOfParts() {
    RelationalPersistentProperty id = entity.getIdProperty();
    return id != null && id.isEntity();
  }

  /** A record as the id has its components as parts. */
  @Override
  public List<String> parts(String attribute) {
    RelationalPersistentProperty id = entity.getIdProperty();
    return id != null
            && (attribute.isEmpty() || attribute.equals(id.getName()))
            && hasIdOfParts()
            && id.getType().isRecord()
        ? RowType.components(id.getName(), id.getType())
        : RowType.super.parts(attribute);
  }

  @Override
  public RowPath<Object> path(String attribute) {
    RelationalPersistentProperty id = entity.getIdProperty();
    if (attribute.isEmpty() && id == null) {
      throw refusal("has no id", "Name an attribute that is a key: @BloomKey(attribute = \"...\")");
    }
    String name = attribute.isEmpty() && id != null ? id.getName() : attribute;
    PersistentPropertyPath<RelationalPersistentProperty> path =
        SpringDataJdbc.path(context, entity, name);
    RelationalPersistentProperty leaf = path == null ? null : path.getLeafProperty();
    if (path == null || leaf == null || leaf.isTransient()) {
      throw unknown(name);
    }
    if (!leaf.isWritable()) {
      throw refusal(
          ("names the attribute '%s', which is not written (@ReadOnlyProperty), so the value in"
                  + " its column is not known")
              .formatted(name),
          "Take the annotation away, and use @BloomPut and @BloomEvict with the value that the"
              + " database sets");
    }
    boolean single = !leaf.isEntity() && !leaf.isCollectionLike() && !leaf.isMap();
    if (!single || !CanonicalKey.supports(leaf.getType())) {
      throw noKey(name, leaf.getType());
    }
    boolean ofId = path.getBaseProperty().isIdProperty();
    return new RowPath<>(
        path.toDotPath(),
        leaf.getType(),
        row -> entity.getPropertyPathAccessor(row).getProperty(path, NULLS),
        value -> stored(leaf, value),
        ofId,
        ofId && path.getLength() == 1,
        null);
  }

  /**
   * A UUID in a binary column keeps its own form: such a column is no key, so the source's query
   * converts it to text.
   */
  private @Nullable Object stored(RelationalPersistentProperty attribute, Object value) {
    Object stored = columns.apply(attribute, value);
    return stored instanceof byte[] && value instanceof UUID ? value : stored;
  }
}

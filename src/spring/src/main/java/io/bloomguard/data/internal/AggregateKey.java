package io.bloomguard.data.internal;

import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.guard.EntityKeyException;
import io.bloomguard.guard.internal.KeyScope;
import io.bloomguard.guard.internal.KeyedAttribute;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
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
 * @param paths the paths from the root to the key, or to each of its parts
 * @param isId whether it is the root's id as a whole
 * @param scope the path to the scope of the key; null if the rows have none
 */
record AggregateKey(
    String filter,
    List<PersistentPropertyPath<RelationalPersistentProperty>> paths,
    boolean isId,
    @Nullable PersistentPropertyPath<RelationalPersistentProperty> scope) {

  /** Converts the values of attributes to those of their columns. */
  @FunctionalInterface
  interface Columns {

    /** The form in which the column of an attribute holds a value. */
    @Nullable Object form(RelationalPersistentProperty attribute, Object value);
  }

  /** If an embedded object is null, its properties are null too. */
  private static final GetOptions NULLS =
      AccessOptions.defaultGetOptions().withNullValues(GetNulls.EARLY_RETURN);

  /**
   * Compiles the key of {@code filter} that {@code attribute} names: empty for the id, several
   * attributes with commas for a key of parts.
   *
   * @param scopes the column of the scope of a filter's keys, null for none
   */
  static AggregateKey of(
      RelationalMappingContext context,
      RelationalPersistentEntity<?> entity,
      String filter,
      String attribute,
      Function<String, @Nullable String> scopes) {
    RelationalPersistentProperty id = entity.getIdProperty();
    if (attribute.isEmpty() && id == null) {
      throw refusal(
          entity, "has no id", "Name an attribute that is a key: @BloomKey(attribute = \"...\")");
    }
    String name = attribute.isEmpty() && id != null ? id.getName() : attribute;
    String column = scopes.apply(filter);
    List<String> properties = new ArrayList<>();
    entity.forEach(each -> properties.add(each.getName()));
    String scope = column == null ? null : KeyScope.property(column, properties);
    List<PersistentPropertyPath<RelationalPersistentProperty>> paths =
        parts(id, name).stream()
            .map(String::strip)
            .filter(part -> !part.equals(scope))
            .map(part -> path(context, entity, part))
            .toList();
    return new AggregateKey(
        filter,
        paths,
        paths.size() == 1 && isId(paths.get(0)),
        scope == null ? null : path(context, entity, scope));
  }

  private static boolean isId(PersistentPropertyPath<RelationalPersistentProperty> path) {
    return path.getLength() == 1 && path.getLeafProperty().isIdProperty();
  }

  /** The attributes that a key has as its parts; a record as the id has its components. */
  private static List<String> parts(@Nullable RelationalPersistentProperty id, String name) {
    if (id == null || !name.equals(id.getName()) || !id.isEntity() || !id.getType().isRecord()) {
      return List.of(name.split(",", -1));
    }
    return Arrays.stream(id.getType().getRecordComponents())
        .map(part -> name + "." + part.getName())
        .toList();
  }

  private static PersistentPropertyPath<RelationalPersistentProperty> path(
      RelationalMappingContext context, RelationalPersistentEntity<?> entity, String name) {
    PersistentPropertyPath<RelationalPersistentProperty> path =
        SpringDataJdbc.path(context, entity, name);
    if (path == null) {
      throw unknown(entity, name);
    }
    RelationalPersistentProperty leaf = path.getLeafProperty();
    if (leaf.isTransient()) {
      throw unknown(entity, name);
    }
    if (!leaf.isWritable()) {
      throw refusal(
          entity,
          "names the attribute '"
              + name
              + "', which is not written (@ReadOnlyProperty), so the value in its column is not"
              + " known",
          "Take the annotation away, and use @BloomPut and @BloomEvict with the value that the"
              + " database sets");
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
          "Name an attribute that is text, an integral number, a UUID or an enum, or several of"
              + " these in the order of the lookup's key: @BloomKey(attribute = \"id.tenant,"
              + " id.number\")");
    }
    return path;
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

  /** Whether all of it is the root's id, or of it. */
  boolean isOfId() {
    return paths.stream().allMatch(path -> path.getBaseProperty().isIdProperty());
  }

  /** Whether a part of it is the root's id, or of it. */
  boolean takesId() {
    return paths.stream().anyMatch(path -> path.getBaseProperty().isIdProperty());
  }

  /** The key of a root, as its columns hold it; null if it has none yet. */
  @Nullable Object of(RelationalPersistentEntity<?> entity, Object root, Columns columns) {
    List<@Nullable Object> parts = new ArrayList<>(paths.size());
    for (PersistentPropertyPath<RelationalPersistentProperty> path : paths) {
      parts.add(stored(path, entity, root, columns));
    }
    if (parts.contains(null)) {
      return null;
    }
    Object key = parts.size() == 1 ? parts.get(0) : parts;
    Object own = scope == null ? null : stored(scope, entity, root, columns);
    return key == null || own == null ? key : KeyScope.Scoped.of(own, key);
  }

  private static @Nullable Object stored(
      PersistentPropertyPath<RelationalPersistentProperty> path,
      RelationalPersistentEntity<?> entity,
      Object root,
      Columns columns) {
    Object value = entity.getPropertyPathAccessor(root).getProperty(path, NULLS);
    return value == null ? null : stored(path, value, columns);
  }

  /** The key that is the root's whole id, as its column holds it. */
  @Nullable Object ofId(Object id, Columns columns) {
    return stored(paths.get(0), id, columns);
  }

  /**
   * The form in which a column holds a value. A UUID in a binary column keeps its own form: such a
   * column is no key, so the source's query converts it to text.
   */
  private static @Nullable Object stored(
      PersistentPropertyPath<RelationalPersistentProperty> path, Object value, Columns columns) {
    Object stored = columns.form(path.getLeafProperty(), value);
    return stored instanceof byte[] && value instanceof UUID ? value : stored;
  }

  /** Describes the attributes of the key to the guards. */
  @SuppressWarnings(
      "NullAway") // JDK 17 reads no annotations of type arguments in other modules' classes
  List<KeyedAttribute> describe(RelationalPersistentEntity<?> entity, Columns columns) {
    String root = entity.getType().getName();
    return paths.stream()
        .map(
            path ->
                KeyedAttribute.of(
                    root,
                    path.toDotPath(),
                    path.getLeafProperty().getType(),
                    value -> stored(path, value, columns),
                    paths.size() > 1))
        .toList();
  }
}

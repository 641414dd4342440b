package io.bloomguard.jpa;

import io.bloomguard.filter.CanonicalKey;
import io.bloomguard.guard.EntityKeyException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.hibernate.action.internal.DelayedPostInsertIdentifier;
import org.hibernate.bytecode.enhance.spi.LazyPropertyInitializer;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.type.CompositeType;
import org.hibernate.type.Type;
import org.jspecify.annotations.Nullable;

/**
 * The key that a filter holds for each row of an entity, and the path to it from the row's id and
 * state, as Hibernate passes them to its listeners.
 *
 * @param filter the name of the filter
 * @param property the index of its attribute in the state, or {@link #ID}
 * @param steps the further path through embedded attributes
 * @param parts the keys of its parts, if it has several; property and steps then say nothing
 */
record EntityKey(String filter, int property, List<Step> steps, List<EntityKey> parts) {

  /** The index that stands for the id, which is not part of the state. */
  static final int ID = -1;

  /** The step from an embedded attribute to one of its own. */
  record Step(CompositeType type, int index) {}

  /**
   * Compiles the key of {@code filter} that {@code attribute} names: empty for the id, several
   * attributes with commas for a key of parts.
   */
  static EntityKey of(EntityPersister persister, String filter, String attribute) {
    List<String> names = parts(persister, attribute);
    if (names.isEmpty()) {
      return single(persister, filter, attribute);
    }
    List<EntityKey> parts =
        names.stream().map(name -> single(persister, filter, name.strip())).toList();
    return new EntityKey(filter, ID, List.of(), parts);
  }

  /** The attributes that a key of parts has; a record as the id has its components. */
  private static List<String> parts(EntityPersister persister, String attribute) {
    if (attribute.contains(",")) {
      return List.of(attribute.split(",", -1));
    }
    return isId(persister, attribute)
            && persister.getIdentifierType() instanceof CompositeType id
            && id.getReturnedClass().isRecord()
            && id.getPropertyNames().length > 1
        ? Arrays.stream(id.getReturnedClass().getRecordComponents())
            .map(part -> within(persister.getIdentifierPropertyName(), part.getName()))
            .toList()
        : List.of();
  }

  private static EntityKey single(EntityPersister persister, String filter, String attribute) {
    List<String> path = new ArrayList<>(List.of(attribute.split("\\.", -1)));
    List<Step> steps = new ArrayList<>();
    Type idType = persister.getIdentifierType();
    int property = Arrays.asList(persister.getPropertyNames()).indexOf(path.get(0));
    Type type = property == ID ? idType : persister.getPropertyTypes()[property];
    if (property != ID || isId(persister, path.get(0))) {
      path.remove(0);
    } else if (!(idType instanceof CompositeType id) || index(id, path.get(0)) < 0) {
      throw unknown(persister, attribute);
    }
    for (String name : path) {
      int index = type instanceof CompositeType embedded ? index(embedded, name) : -1;
      if (!(type instanceof CompositeType embedded) || index < 0) {
        throw unknown(persister, attribute);
      }
      steps.add(new Step(embedded, index));
      type = embedded.getSubtypes()[index];
    }
    requireKey(persister, attribute, type);
    return new EntityKey(filter, property, List.copyOf(steps), List.of());
  }

  private static boolean isId(EntityPersister persister, String name) {
    return name.isEmpty() || name.equals(persister.getIdentifierPropertyName());
  }

  private static int index(CompositeType type, String name) {
    return Arrays.asList(type.getPropertyNames()).indexOf(name);
  }

  private static EntityKeyException unknown(EntityPersister persister, String attribute) {
    TreeSet<String> known = new TreeSet<>(Arrays.asList(persister.getPropertyNames()));
    String id = persister.getIdentifierPropertyName();
    if (id != null) {
      known.add(id);
    }
    if (persister.getIdentifierType() instanceof CompositeType composite) {
      for (String name : composite.getPropertyNames()) {
        known.add(within(id, name));
      }
    }
    return refusal(
        persister,
        "names the attribute '" + attribute + "', which it does not have",
        "Name one of " + known);
  }

  private static void requireKey(EntityPersister persister, String attribute, Type type) {
    String named =
        attribute.isEmpty() ? "has an id" : "names the attribute '" + attribute + "', which is";
    String action = "Name an attribute that is text, an integral number, a UUID or an enum";
    if (type instanceof CompositeType composite) {
      throw refusal(
          persister,
          (attribute.isEmpty() ? named : named + " one")
              + " of several columns "
              + Arrays.toString(composite.getPropertyNames())
              + ", whose order is not known",
          "Name the parts in the order of the lookup's key: @BloomKey(attribute = \""
              + proposal(persister, attribute, composite)
              + "\")");
    }
    if (type.isEntityType() || type.isCollectionType() || type.isAnyType()) {
      throw refusal(persister, named + " an association, and a key is one value", action);
    }
    Class<?> javaType = type.getReturnedClass();
    if (!CanonicalKey.supports(javaType)) {
      throw refusal(
          persister,
          named + " of type " + javaType.getTypeName() + ", which cannot be a key",
          action);
    }
  }

  private static String proposal(
      EntityPersister persister, String attribute, CompositeType composite) {
    String owner = attribute.isEmpty() ? persister.getIdentifierPropertyName() : attribute;
    return Arrays.stream(composite.getPropertyNames())
        .map(name -> within(owner, name))
        .collect(Collectors.joining(", "));
  }

  private static String within(@Nullable String owner, String name) {
    return owner == null ? name : owner + "." + name;
  }

  static EntityKeyException refusal(EntityPersister persister, String problem, String action) {
    return new EntityKeyException(persister.getEntityName(), problem, action);
  }

  /** The row's key; null if an attribute is null, was not loaded or is not generated yet. */
  @Nullable Object of(@Nullable Object id, @Nullable Object @Nullable [] state) {
    if (!parts.isEmpty()) {
      List<@Nullable Object> values = new ArrayList<>(parts.size());
      parts.forEach(part -> values.add(part.of(id, state)));
      return values.contains(null) ? null : values;
    }
    Object value = property == ID ? id : state == null ? null : state[property];
    for (Step step : steps) {
      if (value == null) {
        return null;
      }
      value = step.type().getPropertyValues(value)[step.index()];
    }
    return value == LazyPropertyInitializer.UNFETCHED_PROPERTY
            || value instanceof DelayedPostInsertIdentifier
        ? null
        : value;
  }

  /** Whether a row keeps this key for as long as it lives. */
  boolean isId() {
    return parts.isEmpty() ? property == ID : parts.stream().allMatch(EntityKey::isId);
  }

  /** Whether it is the whole id, which no two rows have. */
  boolean isWholeId() {
    return property == ID && steps.isEmpty() && parts.isEmpty();
  }
}

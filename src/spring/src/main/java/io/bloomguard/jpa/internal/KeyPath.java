package io.bloomguard.jpa.internal;

import io.bloomguard.data.internal.row.RowPath;
import io.bloomguard.filter.internal.CanonicalKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.hibernate.action.internal.DelayedPostInsertIdentifier;
import org.hibernate.bytecode.enhance.spi.LazyPropertyInitializer;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.metamodel.mapping.ModelPart;
import org.hibernate.metamodel.mapping.ModelPartContainer;
import org.hibernate.metamodel.mapping.SelectableMapping;
import org.hibernate.metamodel.mapping.ValuedModelPart;
import org.hibernate.metamodel.mapping.internal.ToOneAttributeMapping;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.proxy.HibernateProxy;
import org.hibernate.type.CompositeType;
import org.hibernate.type.ConvertedBasicType;
import org.hibernate.type.ManyToOneType;
import org.hibernate.type.Type;
import org.jspecify.annotations.Nullable;

/** Compiles the paths to keys, and to parts of keys, from the ids and states of entities. */
final class KeyPath {

  /** A parameter, or a column of the entity's table, as Hibernate writes and reads it by itself. */
  private static final Pattern PLAIN =
      Pattern.compile("\\?|(?:\\{@}\\.)?(?:\"[^\"]+\"|`[^`]+`|\\[[^\\]]+]|[^\\s()?|+]+)");

  private static final String NAME =
      "Name an attribute that is text, an integral number, a UUID or an enum";

  private static final String COMPUTED =
      "Compute it in Java before it is assigned, or take the annotation away and use @BloomPut and"
          + " @BloomEvict on the methods that write it";

  private static final String FOREIGN =
      "Name the attribute that Hibernate writes to that column, or let the association write it";

  private KeyPath() {}

  /** The path that {@code attribute} names; empty for the id. */
  static RowPath<EntityState> of(MappedEntity entity, String attribute) {
    EntityPersister persister = entity.persister();
    List<String> path = new ArrayList<>(List.of(attribute.split("\\.", -1)));
    List<Function<Object, @Nullable Object>> steps = new ArrayList<>();
    Type idType = persister.getIdentifierType();
    int property = Arrays.asList(persister.getPropertyNames()).indexOf(path.get(0)); // of the state
    boolean ofId = property < 0;
    Type type = ofId ? idType : persister.getPropertyTypes()[property];
    ModelPart part = persister.getIdentifierMapping();
    if (!ofId) {
      part = persister.getAttributeMapping(property);
      path.remove(0);
    } else if (entity.isId(path.get(0))) {
      path.remove(0);
    } else if (!(idType instanceof CompositeType id) || index(id, path.get(0)) < 0) {
      throw entity.unknown(attribute);
    }
    String target = null;
    for (String name : path) {
      if (type instanceof ManyToOneType association) {
        EntityPersister to = referenced(entity, attribute, association, name);
        target = to.getRootEntityName();
        steps.add(value -> id(to, value));
        type = to.getIdentifierType();
        continue;
      }
      int index = type instanceof CompositeType embedded ? index(embedded, name) : -1;
      if (!(type instanceof CompositeType embedded) || index < 0) {
        throw entity.unknown(attribute);
      }
      steps.add(value -> embedded.getPropertyValues(value)[index]);
      type = embedded.getSubtypes()[index];
      part = part instanceof ModelPartContainer parts ? parts.findSubPart(name, null) : null;
    }
    requireOne(entity, attribute, type);
    requireWritten(entity, attribute, ofId ? null : part);
    StoredForm stored = form(entity, attribute, type);
    return new RowPath<>(
        attribute,
        stored.type(),
        row -> value(ofId ? row.id() : row.state() == null ? null : row.state()[property], steps),
        stored::of,
        ofId,
        ofId && steps.isEmpty(),
        target);
  }

  private static @Nullable Object value(
      @Nullable Object own, List<Function<Object, @Nullable Object>> steps) {
    Object value = present(own);
    for (Function<Object, @Nullable Object> step : steps) {
      value = value == null ? null : present(step.apply(value));
    }
    return value;
  }

  /** The id of the entity at the end of an association, which is not loaded for that. */
  private static Object id(EntityPersister to, Object value) {
    // The snapshot of a row has the foreign key.
    return to.isInstance(value) || value instanceof HibernateProxy
        ? to.getIdentifierMapping().getIdentifier(value)
        : value;
  }

  /** The entity to whose id {@code name} leads from an association. */
  private static EntityPersister referenced(
      MappedEntity entity, String attribute, ManyToOneType association, String name) {
    EntityPersister to =
        entity
            .persister()
            .getFactory()
            .getMappingMetamodel()
            .getEntityDescriptor(association.getAssociatedEntityName());
    if (!name.equals(to.getIdentifierPropertyName()) || !association.isReferenceToPrimaryKey()) {
      throw entity.refusal(
          "names the attribute '"
              + attribute
              + "', which leads through an association to more than the id in the foreign key",
          "Name the id of %s, to which the foreign key refers, or an attribute of the entity"
              .formatted(to.getEntityName()));
    }
    return to;
  }

  private static StoredForm form(MappedEntity entity, String attribute, Type type) {
    if (!(type instanceof JdbcMapping mapping)) {
      throw entity.refusal(named(attribute) + " of several columns", NAME);
    }
    try {
      StoredForm form = StoredForm.of(mapping, entity.persister().getFactory().getWrapperOptions());
      if (CanonicalKey.supports(form.type()) && form.samples().isEmpty()) {
        throw new IllegalArgumentException(
            "converted to values that cannot be compared with its own");
      }
      return form;
    } catch (IllegalArgumentException e) {
      throw entity.refusal(named(attribute) + " " + e.getMessage(), NAME);
    }
  }

  /** Refuses a column whose value does not come from the attribute. */
  private static void requireWritten(
      MappedEntity entity, String attribute, @Nullable ModelPart part) {
    ModelPart column = part == null ? entity.persister().getIdentifierMapping() : part;
    if (!(column instanceof ValuedModelPart valued)
        || column.getJdbcTypeCount() != 1 && !(column instanceof ToOneAttributeMapping)) {
      return; // of an embedded id
    }
    SelectableMapping selectable = valued.getSelectable(0); // all of a foreign key are alike
    String problem =
        selectable.isFormula()
            ? "computed by a formula"
            : isExpression(selectable.getCustomWriteExpression())
                    || isExpression(selectable.getCustomReadExpression())
                ? "written or read by an expression in SQL (@ColumnTransformer)"
                : part != null && !selectable.isInsertable() && !isReadBack(part)
                    ? "not inserted by Hibernate, and not read back by it (insertable = false)"
                    : null;
    if (problem != null) {
      throw entity.refusal(
          named(attribute) + " " + problem + ", so the value in its column is not known",
          column instanceof ToOneAttributeMapping ? FOREIGN : COMPUTED);
    }
    if (part != null && isCustom(entity.persister(), selectable.getContainingTableExpression())) {
      throw entity.refusal(
          named(attribute) + " written by @SQLInsert or @SQLUpdate, so its value is not known",
          COMPUTED);
    }
  }

  private static boolean isExpression(@Nullable String sql) {
    return sql != null && !sql.isEmpty() && !PLAIN.matcher(sql).matches();
  }

  private static boolean isReadBack(ModelPart part) {
    return part instanceof AttributeMapping attribute
        && attribute.getGenerator() != null
        && attribute.getGenerator().generatesOnInsert();
  }

  private static boolean isCustom(EntityPersister persister, String table) {
    boolean[] custom = {false};
    persister.forEachMutableTable(
        each ->
            custom[0] |=
                each.getTableName().equals(table)
                    && (each.getInsertDetails().getCustomSql() != null
                        || each.getUpdateDetails().getCustomSql() != null));
    return custom[0];
  }

  private static int index(CompositeType type, String name) {
    return Arrays.asList(type.getPropertyNames()).indexOf(name);
  }

  private static String named(String attribute) {
    return attribute.isEmpty() ? "has an id" : "names the attribute '" + attribute + "', which is";
  }

  private static void requireOne(MappedEntity entity, String attribute, Type type) {
    if (type instanceof CompositeType composite) {
      throw entity.refusal(
          (attribute.isEmpty() ? named(attribute) : named(attribute) + " one")
              + " of several columns "
              + Arrays.toString(composite.getPropertyNames())
              + ", whose order is not known",
          "Name the parts in the order of the lookup's key: @BloomKey(attribute = \"%s\")"
              .formatted(proposal(entity, attribute, composite)));
    }
    if (type.isEntityType() || type.isCollectionType() || type.isAnyType()) {
      throw entity.refusal(
          named(attribute) + " an association, and a key is one value",
          NAME + ", or the id of the entity at the end of a foreign key: \"pet.id\"");
    }
    Class<?> javaType = type.getReturnedClass();
    if (!CanonicalKey.supports(javaType) && !(type instanceof ConvertedBasicType<?>)) {
      throw entity.refusal(
          named(attribute) + " of type " + javaType.getTypeName() + ", which cannot be a key",
          NAME);
    }
  }

  private static String proposal(MappedEntity entity, String attribute, CompositeType composite) {
    String owner = attribute.isEmpty() ? entity.persister().getIdentifierPropertyName() : attribute;
    return Arrays.stream(composite.getPropertyNames())
        .map(name -> MappedEntity.within(owner, name))
        .collect(Collectors.joining(", "));
  }

  /** A value that is known; null if it was not loaded or is not generated yet. */
  private static @Nullable Object present(@Nullable Object value) {
    return value == LazyPropertyInitializer.UNFETCHED_PROPERTY
            || value instanceof DelayedPostInsertIdentifier
        ? null
        : value;
  }
}

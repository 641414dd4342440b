package io.bloomguard.jpa.internal;

import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.guard.EntityKeyException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
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

/**
 * The path to a key, or to a part of one, from a row's id and state, as Hibernate passes them to
 * its listeners.
 *
 * @param attribute the path that the annotation names; empty for the id
 * @param property the index of its attribute in the state, or {@link #ID}
 * @param steps the further path through embedded attributes and to-one associations
 * @param form the form in which the column holds the value
 * @param target the root entity whose id it is, if a to-one association leads to it; else null
 */
record KeyPath(
    String attribute, int property, List<Step> steps, StoredForm form, @Nullable String target) {

  /** The index that stands for the id, which is not part of the state. */
  static final int ID = -1;

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

  /** A step of the path. */
  sealed interface Step {

    @Nullable Object of(Object value);
  }

  /** The step from an embedded attribute to one of its own. */
  record Part(CompositeType type, int index) implements Step {

    @Override
    public @Nullable Object of(Object value) {
      return type.getPropertyValues(value)[index];
    }
  }

  /** The step from an association to the id of its entity, which is not loaded for that. */
  record Reference(EntityPersister persister) implements Step {

    @Override
    public @Nullable Object of(Object value) {
      // The snapshot of a row has the foreign key.
      return persister.isInstance(value) || value instanceof HibernateProxy
          ? persister.getIdentifierMapping().getIdentifier(value)
          : value;
    }
  }

  /** Compiles the path that {@code attribute} names; empty for the id. */
  static KeyPath of(EntityPersister persister, String attribute) {
    List<String> path = new ArrayList<>(List.of(attribute.split("\\.", -1)));
    List<Step> steps = new ArrayList<>();
    Type idType = persister.getIdentifierType();
    int property = Arrays.asList(persister.getPropertyNames()).indexOf(path.get(0));
    Type type = property == ID ? idType : persister.getPropertyTypes()[property];
    ModelPart part = persister.getIdentifierMapping();
    if (property != ID) {
      part = persister.getAttributeMapping(property);
      path.remove(0);
    } else if (isId(persister, path.get(0))) {
      path.remove(0);
    } else if (!(idType instanceof CompositeType id) || index(id, path.get(0)) < 0) {
      throw unknown(persister, attribute);
    }
    String target = null;
    for (String name : path) {
      if (type instanceof ManyToOneType association) {
        EntityPersister to = referenced(persister, attribute, association, name);
        target = to.getRootEntityName();
        steps.add(new Reference(to));
        type = to.getIdentifierType();
        continue;
      }
      int index = type instanceof CompositeType embedded ? index(embedded, name) : -1;
      if (!(type instanceof CompositeType embedded) || index < 0) {
        throw unknown(persister, attribute);
      }
      steps.add(new Part(embedded, index));
      type = embedded.getSubtypes()[index];
      part = part instanceof ModelPartContainer parts ? parts.findSubPart(name, null) : null;
    }
    requireOne(persister, attribute, type);
    requireWritten(persister, attribute, property == ID ? null : part);
    return new KeyPath(
        attribute, property, List.copyOf(steps), form(persister, attribute, type), target);
  }

  /** The entity to whose id {@code name} leads from an association. */
  private static EntityPersister referenced(
      EntityPersister persister, String attribute, ManyToOneType association, String name) {
    EntityPersister to =
        persister
            .getFactory()
            .getMappingMetamodel()
            .getEntityDescriptor(association.getAssociatedEntityName());
    if (!name.equals(to.getIdentifierPropertyName()) || !association.isReferenceToPrimaryKey()) {
      throw refusal(
          persister,
          "names the attribute '"
              + attribute
              + "', which leads through an association to more than the id in the foreign key",
          "Name the id of "
              + to.getEntityName()
              + ", to which the foreign key refers, or an attribute of the entity");
    }
    return to;
  }

  private static StoredForm form(EntityPersister persister, String attribute, Type type) {
    if (!(type instanceof JdbcMapping mapping)) {
      throw refusal(persister, named(attribute) + " of several columns", NAME);
    }
    try {
      StoredForm form = StoredForm.of(mapping, persister.getFactory().getWrapperOptions());
      if (CanonicalKey.supports(form.type()) && form.samples().isEmpty()) {
        throw new IllegalArgumentException(
            "converted to values that cannot be compared with its own");
      }
      return form;
    } catch (IllegalArgumentException e) {
      throw refusal(persister, named(attribute) + " " + e.getMessage(), NAME);
    }
  }

  /** Refuses a column whose value does not come from the attribute. */
  private static void requireWritten(
      EntityPersister persister, String attribute, @Nullable ModelPart part) {
    ModelPart column = part == null ? persister.getIdentifierMapping() : part;
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
      throw refusal(
          persister,
          named(attribute) + " " + problem + ", so the value in its column is not known",
          column instanceof ToOneAttributeMapping ? FOREIGN : COMPUTED);
    }
    if (part != null && isCustom(persister, selectable.getContainingTableExpression())) {
      throw refusal(
          persister,
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

  static boolean isId(EntityPersister persister, String name) {
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

  private static String named(String attribute) {
    return attribute.isEmpty() ? "has an id" : "names the attribute '" + attribute + "', which is";
  }

  private static void requireOne(EntityPersister persister, String attribute, Type type) {
    if (type instanceof CompositeType composite) {
      throw refusal(
          persister,
          (attribute.isEmpty() ? named(attribute) : named(attribute) + " one")
              + " of several columns "
              + Arrays.toString(composite.getPropertyNames())
              + ", whose order is not known",
          "Name the parts in the order of the lookup's key: @BloomKey(attribute = \""
              + proposal(persister, attribute, composite)
              + "\")");
    }
    if (type.isEntityType() || type.isCollectionType() || type.isAnyType()) {
      throw refusal(
          persister,
          named(attribute) + " an association, and a key is one value",
          NAME + ", or the id of the entity at the end of a foreign key: \"pet.id\"");
    }
    Class<?> javaType = type.getReturnedClass();
    if (!CanonicalKey.supports(javaType) && !(type instanceof ConvertedBasicType<?>)) {
      throw refusal(
          persister,
          named(attribute) + " of type " + javaType.getTypeName() + ", which cannot be a key",
          NAME);
    }
  }

  private static String proposal(
      EntityPersister persister, String attribute, CompositeType composite) {
    String owner = attribute.isEmpty() ? persister.getIdentifierPropertyName() : attribute;
    return Arrays.stream(composite.getPropertyNames())
        .map(name -> within(owner, name))
        .collect(Collectors.joining(", "));
  }

  static String within(@Nullable String owner, String name) {
    return owner == null ? name : owner + "." + name;
  }

  static EntityKeyException refusal(EntityPersister persister, String problem, String action) {
    return new EntityKeyException(persister.getEntityName(), problem, action);
  }

  /**
   * The value, as its column holds it; null if the attribute is null, was not loaded or is not
   * generated yet.
   */
  @Nullable Object of(@Nullable Object id, @Nullable Object @Nullable [] state) {
    Object value = property == ID ? id : state == null ? null : state[property];
    value = present(value);
    for (Step step : steps) {
      value = value == null ? null : present(step.of(value));
    }
    return value == null ? null : form.of(value);
  }

  /** A value that is known; null if it was not loaded or is not generated yet. */
  private static @Nullable Object present(@Nullable Object value) {
    return value == LazyPropertyInitializer.UNFETCHED_PROPERTY
            || value instanceof DelayedPostInsertIdentifier
        ? null
        : value;
  }

  /** Whether a row keeps it for as long as the row lives. */
  boolean isId() {
    return property == ID;
  }

  /** Whether it is the whole id. */
  boolean isWholeId() {
    return property == ID && steps.isEmpty();
  }
}

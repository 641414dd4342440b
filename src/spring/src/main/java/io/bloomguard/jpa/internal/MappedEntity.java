package io.bloomguard.jpa.internal;

import io.bloomguard.data.internal.row.RowPath;
import io.bloomguard.data.internal.row.RowType;
import io.bloomguard.guard.StartRefusedException;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.hibernate.annotations.TenantId;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.type.CompositeType;
import org.jspecify.annotations.Nullable;

/** An entity, as its persister knows it. */
record MappedEntity(EntityPersister persister) implements RowType<EntityState> {

  @Override
  public String name() {
    return persister.getEntityName();
  }

  @Override
  public @Nullable Class<?> type() {
    return persister.getMappedClass();
  }

  @Override
  public Collection<String> attributes() {
    return List.of(persister.getPropertyNames());
  }

  @Override
  public RowPath<EntityState> path(String attribute) {
    return KeyPath.of(this, attribute);
  }

  boolean isId(String name) {
    return name.isEmpty() || name.equals(persister.getIdentifierPropertyName());
  }

  /** A record as the id has its components as parts. */
  @Override
  public List<String> parts(String attribute) {
    return isId(attribute)
            && persister.getIdentifierType() instanceof CompositeType id
            && id.getReturnedClass().isRecord()
            && id.getPropertyNames().length > 1
        ? RowType.components(persister.getIdentifierPropertyName(), id.getReturnedClass())
        : RowType.super.parts(attribute);
  }

  /** Hibernate's own tenant first. */
  @Override
  public @Nullable String scope(String column) {
    for (Class<?> type = type(); type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (field.isAnnotationPresent(TenantId.class)) {
          return field.getName();
        }
      }
    }
    return RowType.super.scope(column);
  }

  @Override
  public StartRefusedException unknown(String attribute) {
    TreeSet<String> known = new TreeSet<>(attributes());
    String id = persister.getIdentifierPropertyName();
    if (id != null) {
      known.add(id);
    }
    if (persister.getIdentifierType() instanceof CompositeType composite) {
      Arrays.stream(composite.getPropertyNames()).forEach(name -> known.add(within(id, name)));
    }
    return refusal(
        "names the attribute '" + attribute + "', which it does not have", "Name one of " + known);
  }

  static String within(@Nullable String owner, String name) {
    return owner == null ? name : owner + "." + name;
  }
}

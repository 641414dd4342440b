package io.bloomguard.data.internal;

import io.bloomguard.data.internal.row.RowPath;
import io.bloomguard.data.internal.row.RowType;
import io.bloomguard.filter.internal.CanonicalKey;
import java.lang.reflect.Field;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.ibatis.reflection.DefaultReflectorFactory;
import org.apache.ibatis.reflection.MetaClass;
import org.apache.ibatis.reflection.SystemMetaObject;
import org.jspecify.annotations.Nullable;

/** A class whose objects MyBatis writes. */
record MappedObject(Class<?> type) implements RowType<BoundRow> {

  /** Annotations of an id: MyBatis-Plus', JPA's, Spring Data's. By name, as each may be absent. */
  private static final Set<String> IDS = Set.of("TableId", "Id");

  static MetaClass meta(Class<?> type) {
    return MetaClass.forClass(type, new DefaultReflectorFactory());
  }

  @Override
  public String name() {
    return type.getName();
  }

  @Override
  public Collection<String> attributes() {
    return List.of(meta(type).getGetterNames());
  }

  @Override
  public RowPath<BoundRow> path(String attribute) {
    String id = id();
    String property = attribute.isEmpty() ? id : attribute;
    if (property == null) {
      throw refusal(
          "has neither a @TableId nor a property 'id'",
          "Name an attribute that is a key: @BloomKey(attribute = \"...\")");
    }
    MetaClass meta = meta(type);
    if (!meta.hasGetter(property)) {
      throw unknown(property);
    }
    Class<?> value = meta.getGetterType(property);
    if (value != Object.class && !CanonicalKey.supports(value)) {
      throw noKey(property, value);
    }
    boolean isId = property.equals(id);
    return new RowPath<>(
        property, value, row -> value(row, property), form -> form, isId, isId, null);
  }

  /** The property that is annotated as the id, or is called so; null for none. */
  private @Nullable String id() {
    String named = null;
    for (Class<?> c = type; c != null; c = c.getSuperclass()) {
      for (Field field : c.getDeclaredFields()) {
        if (Stream.of(field.getAnnotations())
            .anyMatch(each -> IDS.contains(each.annotationType().getSimpleName()))) {
          return field.getName();
        }
        named = field.getName().equals("id") ? "id" : named;
      }
    }
    return named;
  }

  /** The value of a property, or of a path of properties, whose form each statement decides. */
  private static @Nullable Object value(BoundRow row, String property) {
    Object value = SystemMetaObject.forObject(row.object()).getValue(property);
    return value == null ? null : row.form().apply(property, value);
  }
}

package io.bloomguard.data.internal;

import io.bloomguard.annotation.BloomKey;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.guard.EntityKeyException;
import io.bloomguard.guard.internal.KeyScope;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.reflection.DefaultReflectorFactory;
import org.apache.ibatis.reflection.MetaClass;
import org.apache.ibatis.reflection.MetaObject;
import org.apache.ibatis.reflection.SystemMetaObject;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.StringUtils;

/**
 * The key that a filter holds for each row that MyBatis writes from an object of one class.
 *
 * @param row the class
 * @param filter the name of the filter
 * @param properties the property of the object, or a path of properties; several for a key of parts
 * @param isId whether it identifies the row
 * @param scope the property that is the scope of the key; null if the rows have none
 */
record RowKey(
    Class<?> row, String filter, List<String> properties, boolean isId, @Nullable String scope) {

  private static final RepeatableContainers REPEATED =
      RepeatableContainers.of(BloomKey.class, BloomKey.List.class);

  /** Annotations of an id: MyBatis-Plus', JPA's, Spring Data's. By name, as each may be absent. */
  private static final Set<String> IDS = Set.of("TableId", "Id");

  /**
   * Compiles the keys of a class; none if it has no {@code @BloomKey}.
   *
   * @param scopes the column of the scope of a filter's keys, null for none
   */
  static List<RowKey> of(Class<?> type, Function<String, @Nullable String> scopes) {
    Set<RowKey> keys = new LinkedHashSet<>();
    annotations(type)
        .forEach(key -> keys.add(compile(type, key.filter(), key.attribute(), scopes)));
    for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
      for (Field field : c.getDeclaredFields()) {
        annotations(field).forEach(key -> keys.add(attribute(type, field.getName(), key, scopes)));
      }
      for (Method method : c.getDeclaredMethods()) {
        annotations(method).forEach(key -> keys.add(attribute(type, name(method), key, scopes)));
      }
    }
    return List.copyOf(keys);
  }

  private static RowKey attribute(
      Class<?> type, String name, BloomKey key, Function<String, @Nullable String> scopes) {
    if (!key.attribute().isEmpty()) {
      throw new EntityKeyException(
          type.getName(),
          "names the attribute '" + key.attribute() + "' while it stands on '" + name + "'",
          "Leave attribute out there, or move the annotation to the class");
    }
    return compile(type, key.filter(), name, scopes);
  }

  private static RowKey compile(
      Class<?> type, String filter, String attribute, Function<String, @Nullable String> scopes) {
    String id = id(type);
    String property = attribute.isEmpty() ? id : attribute;
    if (property == null) {
      throw new EntityKeyException(
          type.getName(),
          "has neither a @TableId nor a property 'id'",
          "Name an attribute that is a key: @BloomKey(attribute = \"...\")");
    }
    MetaClass meta = MetaClass.forClass(type, new DefaultReflectorFactory());
    String column = scopes.apply(filter);
    String scope =
        column == null ? null : KeyScope.property(column, List.of(meta.getGetterNames()));
    List<String> properties =
        Stream.of(property.split(",", -1))
            .map(String::strip)
            .filter(name -> !name.equals(scope))
            .toList();
    properties.forEach(part -> require(type, meta, part));
    return new RowKey(type, filter, properties, properties.equals(List.of(id + "")), scope);
  }

  private static void require(Class<?> type, MetaClass meta, String property) {
    if (!meta.hasGetter(property)) {
      throw new EntityKeyException(
          type.getName(),
          "names the attribute '" + property + "', which it does not have",
          "Name one of " + new TreeSet<>(Arrays.asList(meta.getGetterNames())));
    }
    Class<?> value = meta.getGetterType(property);
    if (value != Object.class && !CanonicalKey.supports(value)) {
      throw new EntityKeyException(
          type.getName(),
          "names the attribute '"
              + property
              + "' of type "
              + value.getTypeName()
              + ", which cannot be a key",
          "Name an attribute that is text, an integral number, a UUID or an enum");
    }
  }

  /** The property that is annotated as the id, or is called so; null for none. */
  private static @Nullable String id(Class<?> type) {
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

  private static String name(Method getter) {
    String name = getter.getName().replaceFirst("^(get|is)(?=[A-Z])", "");
    return StringUtils.uncapitalize(name);
  }

  private static Stream<BloomKey> annotations(AnnotatedElement element) {
    return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY, REPEATED).stream(
            BloomKey.class)
        .map(annotation -> annotation.synthesize());
  }

  /** Whether an insert sets it from what the database draws. */
  boolean isDrawn(MappedStatement insert) {
    String[] drawn = insert.getKeyProperties();
    return drawn != null
        && Stream.of(drawn)
            .anyMatch(name -> properties.contains(name.substring(name.lastIndexOf('.') + 1)));
  }

  /** Whether a row has it already. */
  boolean isSet(Object row) {
    return of(row, (property, value) -> value) != null;
  }

  /**
   * The key of a row, null if it has none yet.
   *
   * @param form the stored form of a property's value
   */
  @Nullable Object of(Object row, BiFunction<String, Object, @Nullable Object> form) {
    MetaObject object = SystemMetaObject.forObject(row);
    List<@Nullable Object> parts = new ArrayList<>(properties.size());
    for (String property : properties) {
      Object value = object.getValue(property);
      parts.add(value == null ? null : form.apply(property, value));
    }
    if (parts.contains(null)) {
      return null;
    }
    Object key = parts.size() == 1 ? parts.get(0) : parts;
    Object own = scope == null ? null : object.getValue(scope);
    return key == null || own == null ? key : KeyScope.Scoped.of(own, key);
  }
}

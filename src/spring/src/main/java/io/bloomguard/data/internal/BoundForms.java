package io.bloomguard.data.internal;

import io.bloomguard.data.internal.row.RowKey;
import io.bloomguard.data.internal.row.RowPath;
import io.bloomguard.data.internal.row.RowType;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.FilterRefusal;
import io.bloomguard.guard.internal.KeyedAttribute;
import java.lang.reflect.Field;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.ibatis.mapping.BoundSql;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.mapping.ParameterMapping;
import org.apache.ibatis.mapping.SqlCommandType;
import org.apache.ibatis.reflection.SystemMetaObject;
import org.apache.ibatis.scripting.defaults.RawSqlSource;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.type.TypeHandler;
import org.apache.ibatis.type.TypeHandlerRegistry;
import org.apache.ibatis.type.UnknownTypeHandler;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ReflectionUtils;

/**
 * The forms in which the statements of mappers bind the properties that are keys.
 *
 * <p>A property that a statement does not bind has the form that was found last: at the start in
 * statements without dynamic SQL, in {@code @TableField} or among the registered handlers. A form
 * that is first seen as its statement runs is judged there.
 */
final class BoundForms {

  private static final String TABLE_FIELD = "com.baomidou.mybatisplus.annotation.TableField";

  private final Supplier<? extends EntryGuards> guards;
  private final Map<Property, BoundForm> known = new ConcurrentHashMap<>();

  /** The kinds of forms that the guards have accepted. */
  private final Map<Property, Set<Object>> judged = new ConcurrentHashMap<>();

  BoundForms(Supplier<? extends EntryGuards> guards) {
    this.guards = guards;
  }

  /** A property of a class, or a path of properties. */
  private record Property(Configuration configuration, Class<?> row, String path) {

    Class<?> type() {
      return MappedObject.meta(row).getGetterType(path);
    }
  }

  /**
   * Judges the forms of a class before any statement runs.
   *
   * @param statements those with a parameter of the class
   * @throws StartRefusedException for the first form by which the filter would miss rows
   */
  void start(
      Configuration configuration,
      Class<?> type,
      List<RowKey<BoundRow>> keys,
      Collection<MappedStatement> statements) {
    for (RowKey<BoundRow> key : keys) {
      for (RowPath<BoundRow> path : key.paths()) {
        Property property = new Property(configuration, type, path.attribute());
        declared(property, found(statements, path.attribute()))
            .forEach(form -> judge(property, form, keys));
      }
    }
  }

  /** The forms in statements that write, as far as they are the same for each parameter. */
  private static Set<BoundForm> found(Collection<MappedStatement> statements, String path) {
    Set<BoundForm> found = new LinkedHashSet<>();
    for (MappedStatement statement : statements) {
      boolean writes =
          statement.getSqlCommandType() == SqlCommandType.INSERT
              || statement.getSqlCommandType() == SqlCommandType.UPDATE
              || statement.isDirtySelect();
      if (writes && statement.getSqlSource() instanceof RawSqlSource constant) {
        constant.getBoundSql(null).getParameterMappings().stream()
            .filter(parameter -> owner(parameter, path) != null)
            .map(parameter -> new BoundForm(parameter.getTypeHandler(), parameter.getJdbcType()))
            .filter(form -> !form.isOfEachValue())
            .forEach(found::add);
      }
    }
    return found;
  }

  /** Adds the form of MyBatis-Plus' annotation; without any, that of the registered handler. */
  private static Set<BoundForm> declared(Property property, Set<BoundForm> found) {
    TypeHandlerRegistry handlers = property.configuration().getTypeHandlerRegistry();
    Class<?> type = property.type();
    Field field = ReflectionUtils.findField(property.row(), property.path());
    Class<?> annotated =
        field == null
            ? null
            : MergedAnnotations.from(field)
                .get(TABLE_FIELD)
                .getValue("typeHandler", Class.class)
                .orElse(null);
    if (annotated != null && annotated != UnknownTypeHandler.class) {
      found.add(new BoundForm(handlers.getInstance(type, annotated), null));
    }
    if (found.isEmpty()) {
      TypeHandler<?> handler = type == Object.class ? null : handlers.getTypeHandler(type);
      found.add(new BoundForm(handler == null ? handlers.getUnknownTypeHandler() : handler, null));
    }
    return found;
  }

  /** Asks the guards about a form, once. */
  @SuppressWarnings(
      "NullAway") // JDK 17 reads no annotations of type arguments in other modules' classes
  private void judge(Property property, BoundForm form, List<RowKey<BoundRow>> keys) {
    Set<Object> kinds = judged.computeIfAbsent(property, each -> ConcurrentHashMap.newKeySet());
    if (kinds.contains(form.kind())) {
      return;
    }
    for (RowKey<BoundRow> key : keys) {
      if (key.paths().stream().anyMatch(path -> path.attribute().equals(property.path()))) {
        String row = property.row().getName();
        boolean part = key.paths().size() > 1;
        KeyedAttribute attribute =
            KeyedAttribute.of(row, property.path(), property.type(), form::of, part);
        FilterRefusal refusal = FilterRefusal.of(guards.get(), key.filter(), List.of(attribute));
        if (refusal != null) {
          throw RowType.refusal(row, refusal.problem(), refusal.action());
        }
      }
    }
    if (!form.isOfEachValue()) {
      known.put(property, form);
    }
    kinds.add(form.kind());
  }

  /**
   * The rows of a statement that is about to run, whose values have the forms of its parameters.
   *
   * @throws StartRefusedException for one by which the filter would miss rows
   */
  List<BoundRow> bind(Configuration configuration, BoundSql sql, List<BoundRow> rows) {
    Map<Object, BoundRow> objects = new IdentityHashMap<>();
    Map<Object, Map<String, BoundForm>> forms = new IdentityHashMap<>();
    Set<String> paths = new LinkedHashSet<>();
    for (BoundRow row : rows) {
      objects.put(row.object(), row);
      row.keys().forEach(key -> key.paths().forEach(path -> paths.add(path.attribute())));
    }
    for (ParameterMapping parameter : sql.getParameterMappings()) {
      for (String path : paths) {
        String owner = owner(parameter, path);
        BoundRow row = owner == null ? null : objects.get(value(sql, owner));
        if (row != null) {
          BoundForm form = new BoundForm(parameter.getTypeHandler(), parameter.getJdbcType());
          judge(new Property(configuration, row.object().getClass(), path), form, row.keys());
          forms.computeIfAbsent(row.object(), each -> new HashMap<>()).put(path, form);
        }
      }
    }
    return rows.stream()
        .map(row -> bind(configuration, row, forms.getOrDefault(row.object(), Map.of())))
        .toList();
  }

  /**
   * A row whose values have the forms of its columns.
   *
   * @param bound the forms of a statement's parameters
   */
  BoundRow bind(Configuration configuration, BoundRow row, Map<String, BoundForm> bound) {
    Class<?> type = row.object().getClass();
    return new BoundRow(
        row.object(),
        row.keys(),
        (path, value) -> {
          BoundForm form = bound.get(path);
          return (form == null ? form(configuration, type, path) : form).of(value);
        });
  }

  /** The path to the object of which a parameter is the property; null if it is another one. */
  private static @Nullable String owner(ParameterMapping parameter, String path) {
    String name = parameter.getProperty();
    if (name.equals(path)) {
      return "";
    }
    return name.endsWith("." + path) ? name.substring(0, name.length() - path.length() - 1) : null;
  }

  private static @Nullable Object value(BoundSql sql, String path) {
    if (path.isEmpty()) {
      return sql.getParameterObject();
    }
    return sql.hasAdditionalParameter(path)
        ? sql.getAdditionalParameter(path)
        : SystemMetaObject.forObject(sql.getParameterObject()).getValue(path);
  }

  /** The key that is the row's id, as its column holds it. */
  @Nullable Object ofId(
      Configuration configuration, Class<?> type, RowKey<BoundRow> key, Object id) {
    return form(configuration, type, key.paths().get(0).attribute()).of(id);
  }

  private BoundForm form(Configuration configuration, Class<?> type, String path) {
    Property property = new Property(configuration, type, path);
    return known.computeIfAbsent(
        property, each -> declared(each, new LinkedHashSet<>()).iterator().next());
  }
}

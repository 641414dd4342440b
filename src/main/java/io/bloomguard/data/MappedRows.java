package io.bloomguard.data;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.session.Configuration;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;

/** The classes whose objects are parameters of mappers, and the keys of such objects. */
final class MappedRows {

  /** The depth of the search for classes in type arguments. */
  private static final int DEPTH = 3;

  private final Map<Class<?>, List<RowKey>> known = new ConcurrentHashMap<>();

  /** The keys of a class; empty if it has none. */
  List<RowKey> keys(Class<?> type) {
    return type.getName().startsWith("java.") ? List.of() : known.computeIfAbsent(type, RowKey::of);
  }

  /** A row with its keys. */
  record Row(Object object, List<RowKey> keys) {}

  /** The rows in a statement's parameter: the object itself, and those in maps and collections. */
  List<Row> in(@Nullable Object parameter) {
    Map<Object, Row> rows = new IdentityHashMap<>();
    collect(parameter, rows, 0);
    return List.copyOf(rows.values());
  }

  private void collect(@Nullable Object value, Map<Object, Row> rows, int depth) {
    if (value == null || depth == DEPTH) {
      return;
    }
    if (value instanceof Map<?, ?> named) {
      named.values().forEach(each -> collect(each, rows, depth + 1));
    } else if (value instanceof Collection<?> elements) {
      elements.forEach(each -> collect(each, rows, depth + 1));
    } else if (value instanceof Object[] elements) {
      Arrays.asList(elements).forEach(each -> collect(each, rows, depth + 1));
    } else {
      List<RowKey> keys = keys(value.getClass());
      if (!keys.isEmpty()) {
        rows.put(value, new Row(value, keys));
      }
    }
  }

  /** The classes with keys in the signatures of a configuration's mappers. */
  Set<Class<?>> of(Configuration configuration) {
    Set<Class<?>> found = new LinkedHashSet<>();
    for (Class<?> mapper : configuration.getMapperRegistry().getMappers()) {
      ofMapper(mapper, found);
    }
    for (Object each : List.copyOf(configuration.getMappedStatements())) {
      // A name that two statements share has another object.
      if (each instanceof MappedStatement statement && statement.getParameterMap() != null) {
        add(ResolvableType.forClass(statement.getParameterMap().getType()), found, 0);
      }
    }
    return found;
  }

  /** The class with keys that a mapper is declared for, as {@code BaseMapper<User>}; or null. */
  @Nullable Class<?> entityOf(Class<?> mapper) {
    Set<Class<?>> found = new LinkedHashSet<>();
    supertypes(ResolvableType.forClass(mapper), found);
    return found.stream().findFirst().orElse(null);
  }

  private void supertypes(ResolvableType mapper, Set<Class<?>> found) {
    for (ResolvableType extended : mapper.getInterfaces()) {
      for (ResolvableType argument : extended.getGenerics()) {
        add(argument, found, 0);
      }
      supertypes(extended, found);
    }
  }

  private void ofMapper(Class<?> mapper, Set<Class<?>> found) {
    supertypes(ResolvableType.forClass(mapper), found);
    for (Method method : mapper.getMethods()) {
      for (int i = 0; i < method.getParameterCount(); i++) {
        add(
            ResolvableType.forMethodParameter(
                new MethodParameter(method, i), ResolvableType.forClass(mapper)),
            found,
            0);
      }
    }
  }

  private void add(ResolvableType type, Set<Class<?>> found, int depth) {
    if (depth == DEPTH) {
      return;
    }
    Class<?> raw = type.resolve();
    if (raw != null && !raw.isPrimitive() && !keys(raw).isEmpty()) {
      found.add(raw);
    }
    if (type.isArray()) {
      add(type.getComponentType(), found, depth + 1);
    }
    for (ResolvableType argument : type.getGenerics()) {
      add(argument, found, depth + 1);
    }
  }
}

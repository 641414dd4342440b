package io.bloomguard.data.internal;

import io.bloomguard.data.internal.row.KeyedTypes;
import io.bloomguard.data.internal.row.RowKey;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.session.Configuration;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;

/** The classes whose objects are parameters of mappers, and the keys of such objects. */
final class MappedRows {

  /** The depth of the search for classes in type arguments. */
  private static final int DEPTH = 3;

  private final KeyedTypes<BoundRow> known;

  /**
   * @param scopes the column of the scope of a filter's keys, null for none
   */
  MappedRows(Function<String, @Nullable String> scopes) {
    this.known = new KeyedTypes<>(scopes);
  }

  /** The keys of a class; empty if it has none. */
  List<RowKey<BoundRow>> keys(Class<?> type) {
    return type.getName().startsWith("java.")
        ? List.of()
        : known.of(type, () -> new MappedObject(type)).keys();
  }

  /** Whether the annotations that {@code type} declares are those of a class that was seen. */
  boolean maps(Class<?> type) {
    return known.maps(type);
  }

  /** The rows in a statement's parameter: the object itself, and those in maps and collections. */
  List<BoundRow> in(@Nullable Object parameter) {
    Map<Object, BoundRow> rows = new IdentityHashMap<>();
    collect(parameter, rows, 0);
    return List.copyOf(rows.values());
  }

  private void collect(@Nullable Object value, Map<Object, BoundRow> rows, int depth) {
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
      List<RowKey<BoundRow>> keys = keys(value.getClass());
      if (!keys.isEmpty()) {
        rows.put(value, new BoundRow(value, keys));
      }
    }
  }

  /**
   * The classes with keys in the signatures of a configuration's mappers, with their statements.
   */
  Map<Class<?>, Set<MappedStatement>> of(Configuration configuration) {
    Map<Class<?>, Set<MappedStatement>> found = new LinkedHashMap<>();
    for (Class<?> mapper : configuration.getMapperRegistry().getMappers()) {
      Set<Class<?>> rows = new LinkedHashSet<>();
      supertypes(ResolvableType.forClass(mapper), rows);
      note(rows, null, found);
      for (Method method : mapper.getMethods()) {
        String id = mapper.getName() + "." + method.getName();
        boolean runs = configuration.hasStatement(id, false);
        note(
            ofMethod(mapper, method),
            runs ? configuration.getMappedStatement(id, false) : null,
            found);
      }
    }
    for (Object each : List.copyOf(configuration.getMappedStatements())) {
      // A name that two statements share has another object.
      if (each instanceof MappedStatement statement && statement.getParameterMap() != null) {
        Set<Class<?>> rows = new LinkedHashSet<>();
        add(ResolvableType.forClass(statement.getParameterMap().getType()), rows, 0);
        note(rows, statement, found);
      }
    }
    return found;
  }

  private static void note(
      Set<Class<?>> rows,
      @Nullable MappedStatement statement,
      Map<Class<?>, Set<MappedStatement>> found) {
    for (Class<?> row : rows) {
      Set<MappedStatement> statements = found.computeIfAbsent(row, each -> new LinkedHashSet<>());
      if (statement != null) {
        statements.add(statement);
      }
    }
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

  private Set<Class<?>> ofMethod(Class<?> mapper, Method method) {
    Set<Class<?>> found = new LinkedHashSet<>();
    for (int i = 0; i < method.getParameterCount(); i++) {
      add(
          ResolvableType.forMethodParameter(
              new MethodParameter(method, i), ResolvableType.forClass(mapper)),
          found,
          0);
    }
    return found;
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

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
import java.util.stream.IntStream;
import java.util.stream.Stream;
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
      ofSupertypes(ResolvableType.forClass(mapper)).forEach(row -> note(found, row, null));
      for (Method method : mapper.getMethods()) {
        String id = mapper.getName() + "." + method.getName();
        MappedStatement statement =
            configuration.hasStatement(id, false)
                ? configuration.getMappedStatement(id, false)
                : null;
        ofMethod(mapper, method).forEach(row -> note(found, row, statement));
      }
    }
    for (Object each : List.copyOf(configuration.getMappedStatements())) {
      // A name that two statements share has another object.
      if (each instanceof MappedStatement statement && statement.getParameterMap() != null) {
        ResolvableType parameter = ResolvableType.forClass(statement.getParameterMap().getType());
        within(parameter, 0).forEach(row -> note(found, row, statement));
      }
    }
    return found;
  }

  private static void note(
      Map<Class<?>, Set<MappedStatement>> found,
      Class<?> row,
      @Nullable MappedStatement statement) {
    Set<MappedStatement> statements = found.computeIfAbsent(row, each -> new LinkedHashSet<>());
    if (statement != null) {
      statements.add(statement);
    }
  }

  /** The class with keys that a mapper is declared for, as {@code BaseMapper<User>}; or null. */
  @Nullable Class<?> entityOf(Class<?> mapper) {
    return ofSupertypes(ResolvableType.forClass(mapper)).findFirst().orElse(null);
  }

  private Stream<Class<?>> ofSupertypes(ResolvableType mapper) {
    return Stream.of(mapper.getInterfaces())
        .flatMap(
            extended ->
                Stream.concat(
                    Stream.of(extended.getGenerics()).flatMap(argument -> within(argument, 0)),
                    ofSupertypes(extended)));
  }

  private Stream<Class<?>> ofMethod(Class<?> mapper, Method method) {
    ResolvableType of = ResolvableType.forClass(mapper);
    return IntStream.range(0, method.getParameterCount())
        .mapToObj(i -> ResolvableType.forMethodParameter(new MethodParameter(method, i), of))
        .flatMap(parameter -> within(parameter, 0));
  }

  /** The classes with keys in a type: itself, that of its elements, and its arguments. */
  private Stream<Class<?>> within(ResolvableType type, int depth) {
    Class<?> raw = type.resolve();
    if (depth == DEPTH || raw == null) {
      return Stream.empty();
    }
    Stream<Class<?>> own = Stream.of(raw);
    Stream<ResolvableType> parts =
        Stream.concat(Stream.of(type.getComponentType()), Stream.of(type.getGenerics()));
    return Stream.concat(
        own.filter(each -> !each.isPrimitive() && !keys(each).isEmpty()),
        parts.flatMap(part -> within(part, depth + 1)));
  }
}

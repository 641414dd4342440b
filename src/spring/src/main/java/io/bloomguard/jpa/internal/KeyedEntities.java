package io.bloomguard.jpa.internal;

import io.bloomguard.annotation.BloomKey;
import io.bloomguard.guard.EntityKeyException;
import java.beans.Introspector;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/** The entities of one session factory that have a {@code @BloomKey}. */
final class KeyedEntities {

  private final Function<String, @Nullable String> scopes;
  private final Map<String, List<EntityKey>> keys = new HashMap<>();
  private final Map<String, FilterEntities> filters = new HashMap<>();
  private final Map<String, String> tables = new HashMap<>();
  private final Set<Class<?>> classes = new HashSet<>();

  /**
   * Compiles every annotation.
   *
   * @param scopes the column of the scope of a filter's keys, null for none
   * @throws EntityKeyException for the first annotation that cannot be applied
   */
  KeyedEntities(SessionFactoryImplementor factory, Function<String, @Nullable String> scopes) {
    this.scopes = scopes;
    factory.getMappingMetamodel().forEachEntityDescriptor(this::compile);
    Set<List<String>> ids = ids(factory);
    keys.replaceAll(
        (entity, own) ->
            own.stream()
                .map(
                    key ->
                        key.target() != null && ids.contains(List.of(key.filter(), key.target()))
                            ? key.following()
                            : key)
                .toList());
    keys.values().stream()
        .flatMap(List::stream)
        .map(EntityKey::filter)
        .distinct()
        .forEach(filter -> filters.put(filter, FilterEntities.of(factory, keys, filter)));
  }

  /** The filters that hold the ids of an entity, each with its root. */
  private Set<List<String>> ids(SessionFactoryImplementor factory) {
    Set<List<String>> ids = new HashSet<>();
    keys.forEach(
        (entity, own) -> {
          String root =
              factory.getMappingMetamodel().getEntityDescriptor(entity).getRootEntityName();
          own.stream()
              .filter(EntityKey::isWholeId)
              .forEach(key -> ids.add(List.of(key.filter(), root)));
        });
    return ids;
  }

  private void compile(EntityPersister persister) {
    Set<EntityKey> found = new LinkedHashSet<>();
    Class<?> type = persister.getMappedClass();
    while (type != null && type != Object.class) {
      classes.add(type);
      for (BloomKey annotation : type.getDeclaredAnnotationsByType(BloomKey.class)) {
        found.add(EntityKey.of(persister, annotation.filter(), annotation.attribute(), scopes));
      }
      for (Field field : type.getDeclaredFields()) {
        found.addAll(attribute(persister, field, field.getName()));
      }
      for (Method method : type.getDeclaredMethods()) {
        found.addAll(attribute(persister, method, property(method)));
      }
      type = type.getSuperclass();
    }
    if (!found.isEmpty()) {
      keys.put(persister.getEntityName(), List.copyOf(found));
      for (Object space : persister.getQuerySpaces()) {
        String[] words = space.toString().toLowerCase(Locale.ROOT).split("[^\\w$]+");
        tables.putIfAbsent(words[words.length - 1], persister.getEntityName());
      }
    }
  }

  private List<EntityKey> attribute(
      EntityPersister persister, AnnotatedElement element, String name) {
    List<EntityKey> found = new ArrayList<>();
    for (BloomKey annotation : element.getDeclaredAnnotationsByType(BloomKey.class)) {
      if (!annotation.attribute().isEmpty()) {
        throw KeyPath.refusal(
            persister,
            "names the attribute '"
                + annotation.attribute()
                + "' while it stands on '"
                + name
                + "'",
            "Leave attribute out there, or move the annotation to the class");
      }
      found.add(EntityKey.of(persister, annotation.filter(), name, scopes));
    }
    return found;
  }

  /** The property that a getter reads; the method's own name if it is not a getter. */
  private static String property(Method method) {
    String name = method.getName();
    int prefix = name.startsWith("get") ? 3 : name.startsWith("is") ? 2 : 0;
    return Introspector.decapitalize(name.substring(prefix));
  }

  /** Whether {@code type} is the class of an entity, or a superclass of one. */
  boolean include(Class<?> type) {
    return classes.contains(type);
  }

  boolean isEmpty() {
    return keys.isEmpty();
  }

  /** The keys of an entity, null if it has none. */
  @Nullable List<EntityKey> of(@Nullable String entity) {
    return keys.get(entity);
  }

  /** An entity whose table is among the words of a statement, all in lower case; null for none. */
  @Nullable String writtenBy(Set<String> words) {
    return tables.entrySet().stream()
        .filter(table -> words.contains(table.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(null);
  }

  /** The entities that write keys of {@code filter}, null for none. */
  @Nullable FilterEntities writing(String filter) {
    return filters.get(filter);
  }

  /** Whether the deletion of a row takes its id out of {@code filter}. */
  boolean removes(String filter) {
    FilterEntities writing = filters.get(filter);
    return writing != null && writing.removes();
  }

  /** Each entity with its keys. */
  Map<String, List<EntityKey>> all() {
    return keys;
  }
}

package io.bloomguard.jpa.internal;

import io.bloomguard.data.internal.row.KeyedTypes;
import io.bloomguard.data.internal.row.RowKey;
import io.bloomguard.data.internal.row.RowType;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.internal.EntryGuards;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/** The entities of one session factory that have a {@code @BloomKey}. */
final class KeyedEntities {

  private final KeyedTypes<EntityState> rows;
  private final Map<String, FilterEntities> filters = new HashMap<>();
  private final Map<String, String> tables = new HashMap<>();

  /**
   * Compiles every annotation.
   *
   * @param scopes the column of the scope of a filter's keys, null for none
   * @throws StartRefusedException for the first annotation that cannot be applied
   */
  KeyedEntities(SessionFactoryImplementor factory, Function<String, @Nullable String> scopes) {
    rows = new KeyedTypes<>(scopes);
    Set<List<String>> ids = new HashSet<>(); // the filters that hold ids of an entity, each with it
    factory.getMappingMetamodel().forEachEntityDescriptor(each -> compile(each, ids));
    rows.replaceKeys(
        key ->
            key.target() != null && ids.contains(List.of(key.filter(), key.target()))
                ? key.following()
                : key);
    rows.all().stream()
        .flatMap(keyed -> keyed.keys().stream().map(RowKey::filter))
        .distinct()
        .forEach(filter -> filters.put(filter, FilterEntities.of(factory, this, filter)));
  }

  private void compile(EntityPersister persister, Set<List<String>> ids) {
    String entity = persister.getEntityName();
    RowType<EntityState> type = new MappedEntity(persister);
    List<RowKey<EntityState>> keys = rows.of(entity, () -> type).keys();
    for (RowKey<EntityState> key : keys) {
      if (key.isWholeId()) {
        ids.add(List.of(key.filter(), persister.getRootEntityName()));
      }
    }
    for (Object space : keys.isEmpty() ? new Object[0] : persister.getQuerySpaces()) {
      String[] words = space.toString().toLowerCase(Locale.ROOT).split("[^\\w$]+");
      tables.putIfAbsent(words[words.length - 1], entity);
    }
  }

  /** Whether {@code type} is the class of an entity with keys, or a superclass of one. */
  boolean include(Class<?> type) {
    return rows.maps(type);
  }

  boolean isEmpty() {
    return filters.isEmpty();
  }

  /** The keys of an entity, null if it has none. */
  @Nullable List<RowKey<EntityState>> of(@Nullable String entity) {
    return rows.of(entity);
  }

  /** An entity whose table is among the words of a statement, all in lower case; null for none. */
  @Nullable String writtenBy(Set<String> words) {
    return words.stream().map(tables::get).filter(Objects::nonNull).findFirst().orElse(null);
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

  /** Asks the guards, if there is any key. */
  void verify(Supplier<? extends EntryGuards> guards) {
    if (!isEmpty()) {
      rows.verify(guards.get(), this::removes);
    }
  }
}

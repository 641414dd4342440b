package io.bloomguard.jpa.internal;

import io.bloomguard.data.internal.row.RowKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.hibernate.engine.spi.CascadingActions;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.collection.CollectionPersister;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.type.CollectionType;
import org.hibernate.type.EntityType;
import org.hibernate.type.Type;
import org.jspecify.annotations.Nullable;

/**
 * The entities of one session factory whose writes concern one filter.
 *
 * @param names the entities with a key in the filter, and those from which a flush may cascade to
 *     them
 * @param spaces the tables that their flush writes
 * @param removes whether a deletion takes the key out of the filter: its only keys are the ids of
 *     one entity and its subclasses, so that no two rows have the same, and a deleted row is gone
 */
record FilterEntities(Set<String> names, Set<String> spaces, boolean removes) {

  private static final Pattern DELETE = Pattern.compile("\\s*delete\\b", Pattern.CASE_INSENSITIVE);

  static FilterEntities of(
      SessionFactoryImplementor factory, KeyedEntities entities, String filter) {
    List<EntityPersister> persisters = new ArrayList<>();
    factory.getMappingMetamodel().forEachEntityDescriptor(persisters::add);
    Set<String> names = new HashSet<>();
    Set<String> spaces = new HashSet<>();
    Set<String> roots = new HashSet<>();
    boolean byIds = true;
    for (EntityPersister persister : persisters) {
      List<RowKey<EntityState>> keys = entities.of(persister.getEntityName());
      List<RowKey<EntityState>> own =
          keys == null
              ? List.of()
              : keys.stream().filter(key -> key.filter().equals(filter)).toList();
      if (!own.isEmpty()) {
        if (!own.stream().allMatch(RowKey::follows)) {
          byIds &=
              !marksDeleted(persister)
                  && own.stream().allMatch(key -> key.isWholeId() || key.follows());
          roots.add(persister.getRootEntityName());
        }
        names.add(persister.getEntityName());
        Collections.addAll(spaces, (String[]) persister.getQuerySpaces());
        spaces.addAll(collectionSpaces(factory, persister));
      }
    }
    boolean grown = true;
    while (grown) {
      Stream<EntityPersister> more =
          persisters.stream().filter(persister -> cascades(factory, persister, names));
      grown = names.addAll(more.map(EntityPersister::getEntityName).toList());
    }
    return new FilterEntities(Set.copyOf(names), Set.copyOf(spaces), byIds && roots.size() == 1);
  }

  /** Whether a deletion leaves the row, where lookups other than Hibernate's still find it. */
  private static boolean marksDeleted(EntityPersister persister) {
    boolean[] marks = {persister.getSoftDeleteMapping() != null};
    persister.forEachMutableTable(
        table -> {
          String sql = table.getDeleteDetails().getCustomSql();
          marks[0] |= sql != null && !DELETE.matcher(sql).lookingAt();
        });
    return marks[0];
  }

  private static Set<String> collectionSpaces(
      SessionFactoryImplementor factory, EntityPersister persister) {
    Set<String> spaces = new HashSet<>();
    for (Type type : persister.getPropertyTypes()) {
      if (type instanceof CollectionType collection) {
        CollectionPersister of =
            factory.getMappingMetamodel().getCollectionDescriptor(collection.getRole());
        for (Object space : of.getCollectionSpaces()) {
          spaces.add(space.toString());
        }
      }
    }
    return spaces;
  }

  private static boolean cascades(
      SessionFactoryImplementor factory, EntityPersister persister, Set<String> names) {
    Type[] types = persister.getPropertyTypes();
    for (int i = 0; i < types.length; i++) {
      String target = target(factory, types[i]);
      if (target != null
          && persister.getPropertyCascadeStyles()[i].doCascade(CascadingActions.PERSIST_ON_FLUSH)
          && !Collections.disjoint(withSubclasses(factory, target), names)) {
        return true;
      }
    }
    return false;
  }

  private static @Nullable String target(SessionFactoryImplementor factory, Type type) {
    if (type instanceof EntityType entity) {
      return entity.getAssociatedEntityName();
    }
    if (type instanceof CollectionType collection) {
      CollectionPersister persister =
          factory.getMappingMetamodel().getCollectionDescriptor(collection.getRole());
      return target(factory, persister.getElementType());
    }
    return null;
  }

  private static Set<String> withSubclasses(SessionFactoryImplementor factory, String entity) {
    return factory.getMappingMetamodel().getEntityDescriptor(entity).getSubclassEntityNames();
  }
}

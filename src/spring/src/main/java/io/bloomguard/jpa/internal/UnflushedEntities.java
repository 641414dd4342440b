package io.bloomguard.jpa.internal;

import io.bloomguard.guard.PendingWrites;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.PersistenceContext;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.engine.spi.Status;
import org.jspecify.annotations.Nullable;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The entities that the persistence contexts of the calling thread have not flushed: the contexts
 * that Spring binds to it, for a transaction or for an open session in view.
 *
 * <p>A guarded read flushes them like a query on their tables, unless an entity waits for its
 * removal: a flush would cascade to it from an entity that still refers to it, and undo the
 * removal. {@code find} sees a removal without a flush, and a query makes the session flush by
 * itself.
 */
public final class UnflushedEntities implements PendingWrites {

  private final EntityWrites writes;
  private final List<EntityManagerFactory> factories = new CopyOnWriteArrayList<>();

  /**
   * The entities of all factories that join {@code writes}.
   *
   * @param writes the writes, which know the filters of each entity
   */
  public UnflushedEntities(EntityWrites writes) {
    this.writes = writes;
  }

  /** Includes the persistence contexts of {@code factory}. */
  void follow(EntityManagerFactory factory) {
    factories.add(factory);
  }

  @Override
  public boolean remain(String filter) {
    for (EntityManagerFactory factory : factories) {
      Object bound = TransactionSynchronizationManager.getResource(factory);
      if (bound instanceof EntityManagerHolder holder) {
        SessionImplementor session = session(holder.getEntityManager());
        if (session != null && remain(session, filter)) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * The session itself, which Spring may have put behind a proxy; null if it is not Hibernate's.
   */
  static @Nullable SessionImplementor session(EntityManager manager) {
    if (manager instanceof SessionImplementor session) {
      return session;
    }
    return manager instanceof Session ? manager.unwrap(SessionImplementor.class) : null;
  }

  private boolean remain(SessionImplementor session, String filter) {
    PersistenceContext context = session.getPersistenceContextInternal();
    if (context.getNumberOfManagedEntities() == 0) {
      return false;
    }
    KeyedEntities keyed = writes.entities(session.getFactory());
    FilterEntities entities = keyed == null ? null : keyed.writing(filter);
    if (entities == null || !holdsAny(context, entities)) {
      return false;
    }
    if (context.isFlushing()) {
      return true;
    }
    if (session.isTransactionInProgress() && flushes(session.getHibernateFlushMode())) {
      if (session.getActionQueue().numberOfDeletions() > 0) {
        return true;
      }
      session.autoFlushIfRequired(entities.spaces());
      return false;
    }
    return isDirty(session, context, entities);
  }

  private static boolean flushes(FlushMode mode) {
    return mode == FlushMode.AUTO || mode == FlushMode.ALWAYS;
  }

  private static boolean holdsAny(PersistenceContext context, FilterEntities entities) {
    for (Map.Entry<Object, EntityEntry> managed : managed(context)) {
      if (entities.names().contains(managed.getValue().getEntityName())) {
        return true;
      }
    }
    return false;
  }

  /** Entities and their entries; Hibernate 7.4.5 introduced the method that replaces this one. */
  private static Map.Entry<Object, EntityEntry>[] managed(PersistenceContext context) {
    return context.reentrantSafeEntityEntries();
  }

  private static boolean isDirty(
      SessionImplementor session, PersistenceContext context, FilterEntities entities) {
    for (Map.Entry<Object, EntityEntry> managed : managed(context)) {
      EntityEntry entry = managed.getValue();
      if (entities.names().contains(entry.getEntityName())
          && isDirty(session, entry, managed.getKey())) {
        return true;
      }
    }
    boolean[] changed = {false};
    context.forEachCollectionEntry(
        (collection, entry) ->
            changed[0] |= collection.isDirty() && isOf(context, entities, collection.getOwner()),
        false);
    return changed[0];
  }

  private static boolean isOf(
      PersistenceContext context, FilterEntities entities, @Nullable Object owner) {
    EntityEntry entry = owner == null ? null : context.getEntry(owner);
    return entry != null && entities.names().contains(entry.getEntityName());
  }

  private static boolean isDirty(SessionImplementor session, EntityEntry entry, Object entity) {
    Status status = entry.getStatus();
    if (status == Status.DELETED || status == Status.SAVING) {
      return true;
    }
    if (status != Status.MANAGED) {
      return false;
    }
    @Nullable Object[] loaded = entry.getLoadedState();
    return !entry.isExistsInDatabase()
        || loaded != null
            && entry.requiresDirtyCheck(entity)
            && entry
                    .getPersister()
                    .findDirty(entry.getPersister().getValues(entity), loaded, entity, session)
                != null;
  }
}

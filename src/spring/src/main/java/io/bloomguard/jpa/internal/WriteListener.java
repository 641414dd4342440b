package io.bloomguard.jpa.internal;

import io.bloomguard.data.internal.row.RowKey;
import io.bloomguard.data.internal.row.RowType;
import io.bloomguard.guard.internal.writes.GatheredWrites;
import java.util.List;
import org.hibernate.StatelessSession;
import org.hibernate.collection.spi.AbstractPersistentCollection;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.engine.spi.Status;
import org.hibernate.event.service.spi.EventListenerRegistry;
import org.hibernate.event.spi.AbstractCollectionEvent;
import org.hibernate.event.spi.AbstractPreDatabaseOperationEvent;
import org.hibernate.event.spi.EventType;
import org.hibernate.event.spi.FlushEntityEvent;
import org.hibernate.event.spi.PostDeleteEvent;
import org.hibernate.event.spi.PostDeleteEventListener;
import org.hibernate.event.spi.PostInsertEvent;
import org.hibernate.event.spi.PostInsertEventListener;
import org.hibernate.event.spi.PostUpdateEvent;
import org.hibernate.event.spi.PostUpdateEventListener;
import org.hibernate.event.spi.PostUpsertEvent;
import org.hibernate.event.spi.PostUpsertEventListener;
import org.hibernate.event.spi.PreUpsertEvent;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/**
 * The listener to inserts, changes and deletions of one session factory.
 *
 * <p>A flush first decides on each entity, and the listener gathers its keys then; the first of the
 * events right before its statements begins their write, in one step for all. Those events also
 * find keys that were not gathered: values that another listener has put into the state, and writes
 * of stateless sessions. The events right after the statements find values that only the database
 * knows: an identity, a generated column.
 */
final class WriteListener
    implements PostInsertEventListener,
        PostUpdateEventListener,
        PostDeleteEventListener,
        PostUpsertEventListener {

  private static final long serialVersionUID = 1L;

  private final transient KeyedEntities entities;
  private final transient EntityWrites sessions;

  WriteListener(KeyedEntities entities, EntityWrites sessions) {
    this.entities = entities;
    this.sessions = sessions;
  }

  /**
   * Appends this listener after the present ones, which schedule the updates and may change the
   * state.
   */
  void appendTo(EventListenerRegistry registry) {
    registry.appendListeners(EventType.FLUSH_ENTITY, this::flush);
    registry.appendListeners(
        EventType.PRE_INSERT, event -> before(event, false, null, event.getState()));
    registry.appendListeners(
        EventType.PRE_UPDATE, event -> before(event, true, event.getOldState(), event.getState()));
    registry.appendListeners(
        EventType.PRE_UPSERT, event -> before(event, true, null, event.getState()));
    registry.appendListeners(
        EventType.PRE_DELETE, event -> before(event, true, event.getDeletedState(), null));
    registry.appendListeners(EventType.PRE_COLLECTION_RECREATE, this::beforeCollection);
    registry.appendListeners(EventType.PRE_COLLECTION_UPDATE, this::beforeCollection);
    registry.appendListeners(EventType.PRE_COLLECTION_REMOVE, this::beforeCollection);
    registry.appendListeners(EventType.POST_INSERT, this);
    registry.appendListeners(EventType.POST_UPDATE, this);
    registry.appendListeners(EventType.POST_DELETE, this);
    registry.appendListeners(EventType.POST_UPSERT, this);
  }

  private void flush(FlushEntityEvent event) {
    EntityEntry entry = event.getEntityEntry();
    SharedSessionContractImplementor session = event.getSession();
    List<RowKey<EntityState>> keys = entities.of(entry.getEntityName());
    if (keys == null) {
      return;
    }
    EntityState loaded = new EntityState(entry.getId(), entry.getLoadedState());
    if (entry.getStatus() == Status.DELETED) {
      EntityState deleted = new EntityState(entry.getId(), entry.getDeletedState());
      gather(session, keys, deleted, null);
      gather(session, keys, loaded, null);
    } else if (!entry.isExistsInDatabase()) {
      // It has the state of the call to persist; a later change is an update.
      gather(session, keys, null, loaded);
      @Nullable Object[] now = entry.getPersister().getValues(event.getEntity());
      gather(session, keys, null, new EntityState(entry.getId(), now));
    } else if (event.hasDirtyProperties() || event.hasDirtyCollection()) {
      gather(session, keys, loaded, new EntityState(entry.getId(), event.getPropertyValues()));
    }
  }

  private SessionWrites gather(
      SharedSessionContractImplementor session,
      List<RowKey<EntityState>> keys,
      @Nullable EntityState before,
      @Nullable EntityState after) {
    SessionWrites writes = sessions.of(session);
    keys.forEach(key -> key.changes(writes.gathered(), before, after));
    return writes;
  }

  /**
   * Gathers before a statement, and vetoes none.
   *
   * @param had whether there may be a row already
   * @param old its state; null for the present one
   * @param now the state that it gets; null for none
   */
  private boolean before(
      AbstractPreDatabaseOperationEvent event,
      boolean had,
      @Nullable Object @Nullable [] old,
      @Nullable Object @Nullable [] now) {
    EntityPersister persister = event.getPersister();
    List<RowKey<EntityState>> keys = entities.of(persister.getEntityName());
    if (keys != null) {
      // Null where Hibernate 6 writes in a stateless session.
      @Nullable SharedSessionContractImplementor session = event.getSession();
      if (session == null) {
        throw RowType.refusal(
            persister.getEntityName(),
            "cannot be applied to a write of a stateless session of Hibernate 6, which does not say"
                + " whose transaction it is in",
            "Write the entity in a Session or by a repository, or use Spring Boot 4");
      }
      Object id = event.getId();
      EntityState before =
          had
              ? new EntityState(id, old == null ? stored(session, persister, id, keys) : old)
              : null;
      EntityState after = now == null ? null : new EntityState(id, now);
      SessionWrites writes = gather(session, keys, before, after);
      if (event instanceof PreUpsertEvent) {
        gather(session, keys, null, after); // there may have been none
      }
      writes.begin();
    }
    return false;
  }

  /** The present state of the row, which a stateless session does not know; null for none. */
  private static @Nullable Object @Nullable [] stored(
      SharedSessionContractImplementor session,
      EntityPersister persister,
      Object id,
      List<RowKey<EntityState>> keys) {
    if (keys.stream().allMatch(RowKey::isOfId)) {
      return null;
    }
    @Nullable Object[] stored = persister.getDatabaseSnapshot(id, session);
    return stored == null || stored.length == 0 ? null : stored;
  }

  /**
   * Gathers before a change of a collection: a value may hold the content of its entity's
   * collection.
   */
  private void beforeCollection(AbstractCollectionEvent event) {
    List<RowKey<EntityState>> keys = entities.of(event.getAffectedOwnerEntityName());
    Object owner = event.getAffectedOwnerOrNull();
    if (keys == null
        || owner == null
        || !(event.getCollection() instanceof AbstractPersistentCollection<?> collection)
        || !(collection.getSession() instanceof SessionImplementor session)) {
      return; // of a stateless session, which also updates the row
    }
    EntityEntry entry = session.getPersistenceContextInternal().getEntry(owner);
    if (entry != null) {
      EntityState row = new EntityState(entry.getId(), entry.getLoadedState());
      gather(session, keys, row, row).begin();
    }
  }

  @Override
  public void onPostInsert(PostInsertEvent event) {
    EntityPersister persister = event.getPersister();
    @Nullable Object[] state = event.getState();
    List<RowKey<EntityState>> keys = entities.of(persister.getEntityName());
    EntityState row = new EntityState(event.getId(), state);
    if (keys != null
        && persister.getEntityMetamodel().isDynamicInsert()
        && keys.stream().anyMatch(key -> key.of(row) == null)) {
      // A dynamic insert leaves the state to the defaults of its columns.
      @Nullable Object[] stored = stored(event.getSession(), persister, event.getId(), keys);
      state = stored == null ? state : stored;
    }
    after(event.getSession(), persister, event.getId(), state);
  }

  @Override
  public void onPostUpdate(PostUpdateEvent event) {
    after(event.getSession(), event.getPersister(), event.getId(), event.getState());
  }

  @Override
  public void onPostUpsert(PostUpsertEvent event) {
    after(event.getSession(), event.getPersister(), event.getId(), event.getState());
  }

  @Override
  public void onPostDelete(PostDeleteEvent event) {
    List<RowKey<EntityState>> keys = entities.of(event.getPersister().getEntityName());
    if (keys != null) {
      EntityState row = new EntityState(event.getId(), event.getDeletedState());
      GatheredWrites writes = sessions.of(event.getSession()).gathered();
      for (RowKey<EntityState> key : keys) {
        // Another attribute, or the id of another entity, may have the same value in other rows.
        if (key.isWholeId() && entities.removes(key.filter())) {
          writes.gone(key.filter(), key.of(row));
        }
      }
      endUnlessFlushing(event.getSession());
    }
  }

  private void after(
      SharedSessionContractImplementor session,
      EntityPersister persister,
      Object id,
      @Nullable Object[] state) {
    List<RowKey<EntityState>> keys = entities.of(persister.getEntityName());
    if (keys != null) {
      EntityState row = new EntityState(id, state);
      SessionWrites writes = sessions.of(session);
      keys.forEach(key -> key.drawn(writes.gathered(), row));
      writes.begin();
      endUnlessFlushing(session);
    }
  }

  /**
   * Ends the write of a stateless session's statement, which is a separate write if there is no
   * transaction.
   */
  private void endUnlessFlushing(SharedSessionContractImplementor session) {
    if (session instanceof StatelessSession) {
      sessions.of(session).closeUnlessInTransaction();
    }
  }

  @Override
  public boolean requiresPostCommitHandling(EntityPersister persister) {
    return false;
  }
}

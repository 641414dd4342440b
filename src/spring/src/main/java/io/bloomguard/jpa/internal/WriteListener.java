package io.bloomguard.jpa.internal;

import io.bloomguard.guard.EntityKeyException;
import io.bloomguard.guard.internal.writes.GatheredWrites;
import java.util.List;
import java.util.function.BiConsumer;
import org.hibernate.StatelessSession;
import org.hibernate.collection.spi.AbstractPersistentCollection;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.engine.spi.Status;
import org.hibernate.event.service.spi.EventListenerRegistry;
import org.hibernate.event.spi.AbstractCollectionEvent;
import org.hibernate.event.spi.EventType;
import org.hibernate.event.spi.FlushEntityEvent;
import org.hibernate.event.spi.FlushEntityEventListener;
import org.hibernate.event.spi.PostDeleteEvent;
import org.hibernate.event.spi.PostDeleteEventListener;
import org.hibernate.event.spi.PostInsertEvent;
import org.hibernate.event.spi.PostInsertEventListener;
import org.hibernate.event.spi.PostUpdateEvent;
import org.hibernate.event.spi.PostUpdateEventListener;
import org.hibernate.event.spi.PostUpsertEvent;
import org.hibernate.event.spi.PostUpsertEventListener;
import org.hibernate.event.spi.PreCollectionRecreateEvent;
import org.hibernate.event.spi.PreCollectionRecreateEventListener;
import org.hibernate.event.spi.PreCollectionRemoveEvent;
import org.hibernate.event.spi.PreCollectionRemoveEventListener;
import org.hibernate.event.spi.PreCollectionUpdateEvent;
import org.hibernate.event.spi.PreCollectionUpdateEventListener;
import org.hibernate.event.spi.PreDeleteEvent;
import org.hibernate.event.spi.PreDeleteEventListener;
import org.hibernate.event.spi.PreInsertEvent;
import org.hibernate.event.spi.PreInsertEventListener;
import org.hibernate.event.spi.PreUpdateEvent;
import org.hibernate.event.spi.PreUpdateEventListener;
import org.hibernate.event.spi.PreUpsertEvent;
import org.hibernate.event.spi.PreUpsertEventListener;
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
    implements FlushEntityEventListener,
        PreInsertEventListener,
        PreUpdateEventListener,
        PreDeleteEventListener,
        PreUpsertEventListener,
        PreCollectionRecreateEventListener,
        PreCollectionUpdateEventListener,
        PreCollectionRemoveEventListener,
        PostInsertEventListener,
        PostUpdateEventListener,
        PostDeleteEventListener,
        PostUpsertEventListener {

  private static final long serialVersionUID = 1L;

  private final transient KeyedEntities entities;
  private final transient OpenSessions sessions;

  WriteListener(KeyedEntities entities, OpenSessions sessions) {
    this.entities = entities;
    this.sessions = sessions;
  }

  /**
   * Appends this listener after the present ones, which schedule the updates and may change the
   * state.
   */
  void appendTo(EventListenerRegistry registry) {
    registry.appendListeners(EventType.FLUSH_ENTITY, this);
    registry.appendListeners(EventType.PRE_INSERT, this);
    registry.appendListeners(EventType.PRE_UPDATE, this);
    registry.appendListeners(EventType.PRE_DELETE, this);
    registry.appendListeners(EventType.PRE_UPSERT, this);
    registry.appendListeners(EventType.PRE_COLLECTION_RECREATE, this);
    registry.appendListeners(EventType.PRE_COLLECTION_UPDATE, this);
    registry.appendListeners(EventType.PRE_COLLECTION_REMOVE, this);
    registry.appendListeners(EventType.POST_INSERT, this);
    registry.appendListeners(EventType.POST_UPDATE, this);
    registry.appendListeners(EventType.POST_DELETE, this);
    registry.appendListeners(EventType.POST_UPSERT, this);
  }

  @Override
  public void onFlushEntity(FlushEntityEvent event) {
    EntityEntry entry = event.getEntityEntry();
    List<EntityKey> keys = entities.of(entry.getEntityName());
    if (keys == null) {
      return;
    }
    if (entry.getStatus() == Status.DELETED) {
      GatheredWrites writes = sessions.of(event.getSession()).gathered();
      changed(writes, keys, entry.getId(), entry.getDeletedState());
      changed(writes, keys, entry.getId(), entry.getLoadedState());
    } else if (!entry.isExistsInDatabase()) {
      inserted(keys, event, entry);
    } else if (event.hasDirtyProperties() || event.hasDirtyCollection()) {
      GatheredWrites writes = sessions.of(event.getSession()).gathered();
      updated(writes, keys, entry.getId(), entry.getLoadedState(), event.getPropertyValues());
    }
  }

  /** Gathers an insert, which has the state of the call to persist; a later change is an update. */
  private void inserted(List<EntityKey> keys, FlushEntityEvent event, EntityEntry entry) {
    GatheredWrites writes = sessions.of(event.getSession()).gathered();
    added(writes, keys, entry.getId(), entry.getLoadedState());
    added(writes, keys, entry.getId(), entry.getPersister().getValues(event.getEntity()));
  }

  private static void updated(
      GatheredWrites writes,
      List<EntityKey> keys,
      @Nullable Object id,
      @Nullable Object @Nullable [] before,
      @Nullable Object @Nullable [] after) {
    keys.forEach(key -> key.updated(writes, id, before, after));
  }

  private static void changed(
      GatheredWrites writes,
      List<EntityKey> keys,
      @Nullable Object id,
      @Nullable Object @Nullable [] state) {
    keys.forEach(key -> writes.change(key.filter(), key.of(id, state)));
  }

  private static void added(
      GatheredWrites writes,
      List<EntityKey> keys,
      @Nullable Object id,
      @Nullable Object @Nullable [] state) {
    keys.forEach(key -> key.added(writes, id, state));
  }

  @Override
  public boolean onPreInsert(PreInsertEvent event) {
    return before(
        event.getSession(),
        event.getPersister(),
        (writes, keys) -> added(writes, keys, event.getId(), event.getState()));
  }

  @Override
  public boolean onPreUpdate(PreUpdateEvent event) {
    return before(
        event.getSession(),
        event.getPersister(),
        (writes, keys) ->
            updated(
                writes,
                keys,
                event.getId(),
                event.getOldState() == null
                    ? stored(event.getSession(), event.getPersister(), event.getId(), keys)
                    : event.getOldState(),
                event.getState()));
  }

  @Override
  public boolean onPreUpsert(PreUpsertEvent event) {
    return before(
        event.getSession(),
        event.getPersister(),
        (writes, keys) -> {
          changed(
              writes,
              keys,
              event.getId(),
              stored(event.getSession(), event.getPersister(), event.getId(), keys));
          added(writes, keys, event.getId(), event.getState());
        });
  }

  @Override
  public boolean onPreDelete(PreDeleteEvent event) {
    return before(
        event.getSession(),
        event.getPersister(),
        (writes, keys) ->
            changed(
                writes,
                keys,
                event.getId(),
                event.getDeletedState() == null
                    ? stored(event.getSession(), event.getPersister(), event.getId(), keys)
                    : event.getDeletedState()));
  }

  /**
   * Gathers before a statement, and vetoes none.
   *
   * @param session null where Hibernate 6 writes in a stateless session
   */
  private boolean before(
      @Nullable SharedSessionContractImplementor session,
      EntityPersister persister,
      BiConsumer<GatheredWrites, List<EntityKey>> gathering) {
    List<EntityKey> keys = entities.of(persister.getEntityName());
    if (keys != null) {
      if (session == null) {
        throw new EntityKeyException(
            persister.getEntityName(),
            "cannot be applied to a write of a stateless session of Hibernate 6, which does not say"
                + " whose transaction it is in",
            "Write the entity in a Session or by a repository, or use Spring Boot 4");
      }
      SessionWrites writes = sessions.of(session);
      gathering.accept(writes.gathered(), keys);
      writes.begin();
    }
    return false;
  }

  /** The present state of the row, which a stateless session does not know; null for none. */
  private static @Nullable Object @Nullable [] stored(
      SharedSessionContractImplementor session,
      EntityPersister persister,
      Object id,
      List<EntityKey> keys) {
    if (keys.stream().allMatch(EntityKey::isId)) {
      return null;
    }
    @Nullable Object[] stored = persister.getDatabaseSnapshot(id, session);
    return stored == null || stored.length == 0 ? null : stored;
  }

  @Override
  public void onPreRecreateCollection(PreCollectionRecreateEvent event) {
    beforeCollection(event);
  }

  @Override
  public void onPreUpdateCollection(PreCollectionUpdateEvent event) {
    beforeCollection(event);
  }

  @Override
  public void onPreRemoveCollection(PreCollectionRemoveEvent event) {
    beforeCollection(event);
  }

  /**
   * Gathers before a change of a collection: a value may hold the content of its entity's
   * collection.
   */
  private void beforeCollection(AbstractCollectionEvent event) {
    List<EntityKey> keys = entities.of(event.getAffectedOwnerEntityName());
    Object owner = event.getAffectedOwnerOrNull();
    if (keys == null
        || owner == null
        || !(event.getCollection() instanceof AbstractPersistentCollection<?> collection)
        || !(collection.getSession() instanceof SessionImplementor session)) {
      return; // of a stateless session, which also updates the row
    }
    EntityEntry entry = session.getPersistenceContextInternal().getEntry(owner);
    if (entry != null) {
      SessionWrites writes = sessions.of(session);
      changed(writes.gathered(), keys, entry.getId(), entry.getLoadedState());
      writes.begin();
    }
  }

  @Override
  public void onPostInsert(PostInsertEvent event) {
    after(event.getSession(), event.getPersister(), event.getId(), inserted(event));
  }

  /** The state of the new row, which a dynamic insert leaves to the defaults of its columns. */
  private @Nullable Object[] inserted(PostInsertEvent event) {
    EntityPersister persister = event.getPersister();
    List<EntityKey> keys = entities.of(persister.getEntityName());
    if (keys == null
        || !persister.getEntityMetamodel().isDynamicInsert()
        || keys.stream().noneMatch(key -> key.of(event.getId(), event.getState()) == null)) {
      return event.getState();
    }
    @Nullable Object[] stored = stored(event.getSession(), persister, event.getId(), keys);
    return stored == null ? event.getState() : stored;
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
    List<EntityKey> keys = entities.of(event.getPersister().getEntityName());
    if (keys != null) {
      GatheredWrites writes = sessions.of(event.getSession()).gathered();
      for (EntityKey key : keys) {
        // Another attribute, or the id of another entity, may have the same value in other rows.
        if (key.isWholeId() && entities.removes(key.filter())) {
          writes.gone(key.filter(), key.of(event.getId(), event.getDeletedState()));
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
    List<EntityKey> keys = entities.of(persister.getEntityName());
    if (keys != null) {
      SessionWrites writes = sessions.of(session);
      keys.forEach(key -> key.generated(writes.gathered(), id, state));
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

package io.bloomguard.jpa.internal;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.bloomguard.guard.PendingWrites;
import io.bloomguard.guard.ReadSessions;
import io.bloomguard.guard.Transactions;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.hibernate.SessionEventListener;
import org.hibernate.boot.Metadata;
import org.hibernate.boot.spi.BootstrapContext;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.PersistenceContext;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.engine.spi.Status;
import org.hibernate.event.spi.EventType;
import org.hibernate.event.spi.LoadEvent;
import org.hibernate.event.spi.LoadEventListener;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.service.spi.SessionFactoryServiceRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The sessions that Spring binds to the calling thread, for a transaction or for an open session in
 * view, and those that the thread uses besides: their ages, and the entities that they have not
 * flushed.
 *
 * <p>The time since a session was opened bounds the age of every entity in it, and that of the
 * database's snapshot where the session holds a connection without auto-commit.
 *
 * <p>A guarded read flushes a bound session like a query on its tables, unless an entity waits for
 * its removal: a flush would cascade to it from an entity that still refers to it, and undo the
 * removal. {@code find} sees a removal without a flush, and a query makes the session flush by
 * itself.
 */
public final class ThreadSessions
    implements ReadSessions, PendingWrites, Integrator, LoadEventListener {

  private static final long serialVersionUID = 1L;

  /** The most sessions that a thread is known to use at once. */
  static final int MAX_USED = 16;

  /** The open sessions that a thread has used, the last one last. Other threads read it. */
  private static final ThreadLocal<List<Opened>> USED =
      ThreadLocal.withInitial(CopyOnWriteArrayList::new);

  private final transient EntityWrites writes;
  private final transient List<EntityManagerFactory> factories = new CopyOnWriteArrayList<>();

  /** The sessions in use. */
  private final transient Cache<SharedSessionContractImplementor, Opened> opened =
      Caffeine.newBuilder().weakKeys().build();

  /**
   * The sessions of all factories that join {@code writes}.
   *
   * @param writes the writes, which know the filters of each entity
   */
  public ThreadSessions(EntityWrites writes) {
    this.writes = writes;
  }

  EntityWrites writes() {
    return writes;
  }

  /** Includes the sessions of {@code factory}. */
  void follow(EntityManagerFactory factory) {
    factories.add(factory);
  }

  /** Notes a session that was opened just now. */
  void opened(EntityManager manager) {
    if (manager instanceof SharedSessionContractImplementor session) {
      Opened now = new Opened();
      session.getEventListenerManager().addListener(now);
      opened.put(session, now);
    }
  }

  /** The number of sessions that are in use. */
  long size() {
    opened.cleanUp();
    return opened.estimatedSize();
  }

  @Override
  public void integrate(
      Metadata metadata, BootstrapContext bootstrap, SessionFactoryImplementor building) {
    building.getEventEngine().getListenerRegistry().appendListeners(EventType.LOAD, this);
  }

  @Override
  public void disintegrate(
      SessionFactoryImplementor closing, SessionFactoryServiceRegistry services) {}

  /** Called for an entity that the session has already read, too. */
  @Override
  public void onLoad(LoadEvent event, LoadType type) {
    Opened session = opened.getIfPresent(event.getSession());
    if (session != null) {
      session.use();
    }
  }

  @Override
  public @Nullable Long openedAt() {
    Long oldest = null;
    for (EntityManagerFactory factory : factories) {
      EntityManager manager = bound(factory);
      Long another = manager == null ? null : openedAt(manager);
      if (another != null && (oldest == null || another - oldest < 0)) {
        oldest = another;
      }
    }
    return oldest;
  }

  /** Null for a session of a transaction that was opened past Spring: it is taken for as old. */
  private @Nullable Long openedAt(EntityManager manager) {
    SessionImplementor session = session(manager);
    Opened since = session == null ? null : opened.getIfPresent(session);
    if (since != null) {
      return since.at;
    }
    return TransactionSynchronizationManager.isActualTransactionActive()
        ? null
        : Long.valueOf(System.nanoTime() - Transactions.UNKNOWN_AGE.toNanos());
  }

  private static @Nullable EntityManager bound(EntityManagerFactory factory) {
    return TransactionSynchronizationManager.getResource(factory)
            instanceof EntityManagerHolder holder
        ? holder.getEntityManager()
        : null;
  }

  /**
   * The session itself, which Spring may have put behind a proxy; null if it is not Hibernate's.
   */
  private static @Nullable SessionImplementor session(@Nullable EntityManager manager) {
    if (manager instanceof SessionImplementor session) {
      return session;
    }
    return manager instanceof Session ? manager.unwrap(SessionImplementor.class) : null;
  }

  private boolean anyBound(Predicate<SessionImplementor> which) {
    return factories.stream()
        .map(factory -> session(bound(factory)))
        .anyMatch(session -> session != null && which.test(session));
  }

  /** Spring's manager reports a rollback wherever a commit fails. */
  @Override
  public boolean isCommitLost() {
    return anyBound(session -> SessionWrites.isLost(session.getTransactionCoordinator()));
  }

  @Override
  public boolean remain(String filter) {
    return anyBound(session -> remain(session, filter));
  }

  @Override
  @SuppressWarnings(
      "NullAway") // JDK 17 reads no annotations of type arguments in other modules' classes
  public LongFunction<@Nullable Long> used() {
    List<Opened> mine = USED.get();
    return moment -> {
      Opened oldest = null;
      for (Opened each : mine) {
        if (each.usedAt - moment >= 0
            && each.at - moment < 0
            && (oldest == null || each.at - oldest.at < 0)) {
          oldest = each;
        }
      }
      return oldest == null ? null : oldest.at;
    };
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
    return Arrays.stream(managed(context))
        .anyMatch(managed -> entities.names().contains(managed.getValue().getEntityName()));
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
    if (status != Status.MANAGED) {
      return status == Status.DELETED || status == Status.SAVING;
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

  /** A session since its opening. */
  private static final class Opened implements SessionEventListener {

    private static final long serialVersionUID = 1L;

    private final long at = System.nanoTime();
    private volatile long usedAt = at;
    private volatile boolean ended;

    void use() {
      usedAt = System.nanoTime();
      List<Opened> mine = USED.get();
      if (mine.isEmpty() || mine.get(mine.size() - 1) != this) {
        mine.removeIf(other -> other == this || other.ended);
        if (mine.size() == MAX_USED) {
          mine.remove(0);
        }
        mine.add(this);
      }
    }

    @Override
    public void jdbcPrepareStatementStart() {
      use();
    }

    @Override
    public void end() {
      ended = true;
    }
  }
}

package io.bloomguard.jpa.internal;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.bloomguard.guard.ReadSessions;
import io.bloomguard.guard.Transactions;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongFunction;
import org.hibernate.SessionEventListener;
import org.hibernate.boot.Metadata;
import org.hibernate.boot.spi.BootstrapContext;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.event.spi.EventType;
import org.hibernate.event.spi.LoadEvent;
import org.hibernate.event.spi.LoadEventListener;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.service.spi.SessionFactoryServiceRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The ages of the sessions that Spring binds to the calling thread, for a transaction or for an
 * open session in view, and of those that the thread uses besides.
 *
 * <p>The time since a session was opened bounds the age of every entity in it, and that of the
 * database's snapshot where the session holds a connection without auto-commit.
 */
public final class SessionAges implements ReadSessions, Integrator, LoadEventListener {

  private static final long serialVersionUID = 1L;

  /** The most sessions that a thread is known to use at once. */
  static final int MAX_USED = 16;

  /** The open sessions that a thread has used, the last one last. Other threads read it. */
  private static final ThreadLocal<List<Opened>> USED =
      ThreadLocal.withInitial(CopyOnWriteArrayList::new);

  private final transient List<EntityManagerFactory> factories = new CopyOnWriteArrayList<>();

  /** The sessions in use. */
  private final transient Cache<SharedSessionContractImplementor, Opened> opened =
      Caffeine.newBuilder().weakKeys().build();

  /** Ages of no session yet. */
  public SessionAges() {}

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
      if (TransactionSynchronizationManager.getResource(factory)
          instanceof EntityManagerHolder holder) {
        Long another = openedAt(holder.getEntityManager());
        if (oldest == null || another != null && another - oldest < 0) {
          oldest = another;
        }
      }
    }
    return oldest;
  }

  /** Null for a session of a transaction that was opened past Spring: it is taken for as old. */
  private @Nullable Long openedAt(EntityManager manager) {
    SharedSessionContractImplementor session = UnflushedEntities.session(manager);
    Opened since = session == null ? null : opened.getIfPresent(session);
    if (since != null) {
      return since.at;
    }
    return TransactionSynchronizationManager.isActualTransactionActive()
        ? null
        : Long.valueOf(System.nanoTime() - Transactions.UNKNOWN_AGE.toNanos());
  }

  /** Spring's manager reports a rollback wherever a commit fails. */
  @Override
  public boolean isCommitLost() {
    for (EntityManagerFactory factory : factories) {
      if (TransactionSynchronizationManager.getResource(factory)
          instanceof EntityManagerHolder holder) {
        SharedSessionContractImplementor session =
            UnflushedEntities.session(holder.getEntityManager());
        if (session != null && SessionWrites.isLost(session.getTransactionCoordinator())) {
          return true;
        }
      }
    }
    return false;
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

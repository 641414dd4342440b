package io.bloomguard.jpa;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.bloomguard.guard.ReadSessions;
import io.bloomguard.guard.Transactions;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.jspecify.annotations.Nullable;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The ages of the sessions that Spring binds to the calling thread, for a transaction or for an
 * open session in view.
 *
 * <p>The time since a session was opened bounds the age of every entity in it, and that of the
 * database's snapshot where the session holds a connection without auto-commit.
 */
public final class SessionAges implements ReadSessions {

  private final List<EntityManagerFactory> factories = new CopyOnWriteArrayList<>();

  /** The time at which each session was opened, as long as the session is in use. */
  private final Cache<SharedSessionContractImplementor, Long> opened =
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
      opened.put(session, System.nanoTime());
    }
  }

  /** The number of sessions that are in use. */
  long size() {
    opened.cleanUp();
    return opened.estimatedSize();
  }

  @Override
  public @Nullable Duration age() {
    Duration age = null;
    for (EntityManagerFactory factory : factories) {
      if (TransactionSynchronizationManager.getResource(factory)
          instanceof EntityManagerHolder holder) {
        Duration another = age(holder.getEntityManager());
        if (age == null || another != null && another.compareTo(age) > 0) {
          age = another;
        }
      }
    }
    return age;
  }

  /** Null for a session of a transaction that was opened past Spring: it is taken for as old. */
  private @Nullable Duration age(EntityManager manager) {
    SharedSessionContractImplementor session = UnflushedEntities.session(manager);
    Long since = session == null ? null : opened.getIfPresent(session);
    if (since != null) {
      return Duration.ofNanos(System.nanoTime() - since);
    }
    return TransactionSynchronizationManager.isActualTransactionActive()
        ? null
        : Transactions.UNKNOWN_AGE;
  }
}

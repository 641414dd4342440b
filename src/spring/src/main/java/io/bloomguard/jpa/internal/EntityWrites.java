package io.bloomguard.jpa.internal;

import io.bloomguard.data.internal.row.RowGuards;
import io.bloomguard.data.internal.row.RowKey;
import io.bloomguard.guard.KeyedClasses;
import io.bloomguard.guard.StartRefusedException;
import jakarta.persistence.EntityManagerFactory;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.hibernate.SessionFactory;
import org.hibernate.SessionFactoryObserver;
import org.hibernate.boot.Metadata;
import org.hibernate.boot.spi.BootstrapContext;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.service.spi.SessionFactoryServiceRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * The writes of all entities with a {@code @BloomKey}, in all session factories.
 *
 * <p>As an integrator of Hibernate, it gets each factory that is built.
 */
public final class EntityWrites implements Integrator, SmartInitializingSingleton, KeyedClasses {

  private final RowGuards guards;

  /** The writes of each session that has written, until the session is closed. */
  private final Map<SharedSessionContractImplementor, SessionWrites> sessions =
      new ConcurrentHashMap<>();

  private final Map<SessionFactoryImplementor, KeyedEntities> factories = new ConcurrentHashMap<>();
  private final Supplier<? extends Iterable<EntityManagerFactory>> lazy;
  private volatile boolean started;

  /**
   * Writes that no factory has joined yet.
   *
   * @param guards the guards that they are told to
   * @param lazy the factories of the application, some of which may not be built yet
   */
  public EntityWrites(RowGuards guards, Supplier<? extends Iterable<EntityManagerFactory>> lazy) {
    this.guards = guards;
    this.lazy = lazy;
  }

  @Override
  public void integrate(
      Metadata metadata, BootstrapContext bootstrap, SessionFactoryImplementor building) {
    building.addObserver(
        new SessionFactoryObserver() {

          private static final long serialVersionUID = 1L;

          /** The factory can list its entities by now. */
          @Override
          public void sessionFactoryCreated(SessionFactory factory) {
            follow((SessionFactoryImplementor) factory);
          }

          @Override
          public void sessionFactoryClosed(SessionFactory factory) {
            factories.remove(factory);
          }
        });
  }

  /** Does nothing: the observer is told of the factory's end. Hibernate 6 has no default for it. */
  @Override
  public void disintegrate(
      SessionFactoryImplementor closing, SessionFactoryServiceRegistry services) {}

  /**
   * Follows the writes of a factory, once.
   *
   * @throws StartRefusedException for the first annotation that cannot be applied
   */
  void follow(SessionFactoryImplementor factory) {
    if (factories.containsKey(factory)) {
      return;
    }
    KeyedEntities entities = new KeyedEntities(factory, guards.scopes());
    if (started) {
      entities.verify(guards.guards());
    }
    factories.put(factory, entities);
    if (!entities.isEmpty()) {
      new WriteListener(entities, this).appendTo(factory.getEventEngine().getListenerRegistry());
    }
  }

  /** The annotated entities of a factory, null if it is not followed. */
  @Nullable KeyedEntities entities(SessionFactoryImplementor factory) {
    return factories.get(factory);
  }

  /** Notes that a statement changes rows past the listeners. */
  void unseen(List<RowKey<EntityState>> keys, String writer) {
    keys.forEach(key -> guards.guards().get().unseenWrite(key.filter(), writer));
  }

  /** The annotated entities of every factory. */
  Collection<KeyedEntities> entities() {
    return factories.values();
  }

  /** Builds a lazy factory, and waits for one that is built in the background, before it denies. */
  @Override
  public boolean contain(Class<?> type) {
    if (!maps(type)) {
      lazy.get().forEach(EntityManagerFactory::getMetamodel);
    }
    return maps(type);
  }

  private boolean maps(Class<?> type) {
    return entities().stream().anyMatch(keyed -> keyed.include(type));
  }

  /** Checks the names of filters last, since filters may need a factory. */
  @Override
  public void afterSingletonsInstantiated() {
    started = true;
    entities().forEach(keyed -> keyed.verify(guards.guards()));
  }

  /** The writes of {@code session}, for the thread that works with it. */
  SessionWrites of(SharedSessionContractImplementor session) {
    return sessions.computeIfAbsent(
        session, of -> new SessionWrites(of, guards, () -> sessions.remove(of)));
  }

  /** The number of sessions that have written and are still open. */
  int openSessions() {
    return sessions.size();
  }
}

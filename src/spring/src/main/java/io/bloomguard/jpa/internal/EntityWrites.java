package io.bloomguard.jpa.internal;

import io.bloomguard.data.internal.row.RowGuards;
import io.bloomguard.data.internal.row.RowKey;
import io.bloomguard.guard.StartRefusedException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
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
public final class EntityWrites implements Integrator, SmartInitializingSingleton {

  private final RowGuards guards;

  /** The writes of each session that has written, until the session is closed. */
  private final Map<SharedSessionContractImplementor, SessionWrites> sessions =
      new ConcurrentHashMap<>();

  private final List<Factory> factories = new CopyOnWriteArrayList<>();
  private volatile boolean started;

  /**
   * Writes that no factory has joined yet.
   *
   * @param guards the guards that they are told to
   */
  public EntityWrites(RowGuards guards) {
    this.guards = guards;
  }

  @Override
  public void integrate(
      Metadata metadata, BootstrapContext bootstrap, SessionFactoryImplementor building) {
    building.addObserver(new Observer());
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
    if (factories.stream().anyMatch(known -> known.factory() == factory)) {
      return;
    }
    KeyedEntities entities = new KeyedEntities(factory, guards.scopes());
    if (started) {
      entities.verify(guards.guards());
    }
    factories.add(new Factory(factory, entities));
    if (!entities.isEmpty()) {
      new WriteListener(entities, this).appendTo(factory.getEventEngine().getListenerRegistry());
    }
  }

  /** The annotated entities of a factory, null if it is not followed. */
  @Nullable KeyedEntities entities(SessionFactoryImplementor factory) {
    for (Factory known : factories) {
      if (known.factory() == factory) {
        return known.entities();
      }
    }
    return null;
  }

  /** Notes that a statement changes rows past the listeners. */
  void unseen(List<RowKey<EntityState>> keys, String writer) {
    keys.forEach(key -> guards.guards().get().unseenWrite(key.filter(), writer));
  }

  /** The annotated entities of every factory. */
  List<KeyedEntities> entities() {
    return factories.stream().map(Factory::entities).toList();
  }

  /**
   * {@return whether the annotations that {@code type} declares are those of an entity}
   *
   * @param type a class of any kind
   */
  public boolean maps(Class<?> type) {
    return factories.stream().anyMatch(factory -> factory.entities().include(type));
  }

  /** Checks the names of filters last, since filters may need a factory. */
  @Override
  public void afterSingletonsInstantiated() {
    started = true;
    factories.forEach(factory -> factory.entities().verify(guards.guards()));
  }

  /** The writes of {@code session}, for the thread that works with it. */
  SessionWrites of(SharedSessionContractImplementor session) {
    SessionWrites known = sessions.get(session);
    if (known != null) {
      return known;
    }
    SessionWrites writes = new SessionWrites(session, guards, () -> sessions.remove(session));
    sessions.put(session, writes);
    return writes;
  }

  /** The number of sessions that have written and are still open. */
  int openSessions() {
    return sessions.size();
  }

  /** A factory and its annotated entities, possibly none. */
  record Factory(SessionFactoryImplementor factory, KeyedEntities entities) {}

  /** The observer that waits until the factory can list its entities. */
  private final class Observer implements SessionFactoryObserver {

    private static final long serialVersionUID = 1L;

    @Override
    public void sessionFactoryCreated(SessionFactory factory) {
      follow((SessionFactoryImplementor) factory);
    }

    @Override
    public void sessionFactoryClosed(SessionFactory factory) {
      factories.removeIf(known -> known.factory() == factory);
    }
  }
}

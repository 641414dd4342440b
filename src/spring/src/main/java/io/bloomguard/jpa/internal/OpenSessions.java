package io.bloomguard.jpa.internal;

import io.bloomguard.guard.internal.EntryGuards;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.hibernate.engine.spi.SharedSessionContractImplementor;

/** The writes of each session that has written, until the session is closed. */
final class OpenSessions {

  private final Map<SharedSessionContractImplementor, SessionWrites> sessions =
      new ConcurrentHashMap<>();
  private final Supplier<? extends EntryGuards> guards;
  private final int maxKeys;

  /**
   * @param maxKeys the most keys of one transaction
   */
  OpenSessions(Supplier<? extends EntryGuards> guards, int maxKeys) {
    this.guards = guards;
    this.maxKeys = maxKeys;
  }

  /** The writes of {@code session}, for the thread that works with it. */
  SessionWrites of(SharedSessionContractImplementor session) {
    SessionWrites known = sessions.get(session);
    if (known != null) {
      return known;
    }
    SessionWrites writes =
        new SessionWrites(session, guards, maxKeys, () -> sessions.remove(session));
    sessions.put(session, writes);
    return writes;
  }

  /** The number of open sessions that have written. */
  int size() {
    return sessions.size();
  }
}

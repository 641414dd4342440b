package io.bloomguard.jpa;

import io.bloomguard.guard.BloomGuards;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.hibernate.engine.spi.SharedSessionContractImplementor;

/** The writes of each session that has any, until it is closed. */
final class OpenSessions {

  private final Map<SharedSessionContractImplementor, SessionWrites> sessions =
      new ConcurrentHashMap<>();
  private final Supplier<? extends BloomGuards> guards;

  OpenSessions(Supplier<? extends BloomGuards> guards) {
    this.guards = guards;
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

  /** How many sessions have written and are open. */
  int size() {
    return sessions.size();
  }
}

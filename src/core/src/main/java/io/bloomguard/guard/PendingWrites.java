package io.bloomguard.guard;

import java.util.List;

/**
 * The writes of the calling thread that its session has not sent to the database yet, and that so
 * have reached no filter and no cache either.
 */
@FunctionalInterface
public interface PendingWrites {

  /** For applications whose writes reach the database at once. */
  PendingWrites NONE = filter -> false;

  /**
   * Flushes the writes for {@code filter} of the thread's session, as far as the session may.
   * Called before each decision, so it is quick if there are none.
   *
   * @param filter the filter's name
   * @return true if some of the writes may still be unwritten
   */
  boolean remain(String filter);

  /**
   * {@return the pending writes of several kinds of sessions; {@link #NONE} for none}
   *
   * @param kinds the writes of each kind of session
   */
  static PendingWrites allOf(List<PendingWrites> kinds) {
    if (kinds.size() < 2) {
      return kinds.isEmpty() ? NONE : kinds.get(0);
    }
    PendingWrites[] all = kinds.toArray(PendingWrites[]::new);
    return filter -> {
      for (PendingWrites kind : all) {
        if (kind.remain(filter)) {
          return true;
        }
      }
      return false;
    };
  }
}

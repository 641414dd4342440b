package io.bloomguard.guard;

import java.util.List;

/**
 * The calling thread's writes in a session that has not reached the database yet, and so no filter
 * and no cache either.
 */
@FunctionalInterface
public interface PendingWrites {

  /** For applications whose writes reach the database at once. */
  PendingWrites NONE = filter -> false;

  /**
   * Has the thread's session write what it holds for {@code filter}, as far as it may; true if some
   * of it may still be unwritten. Asked before each decision, so quick where there is none.
   */
  boolean remain(String filter);

  /** Those of several kinds of sessions; {@link #NONE} for none. */
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

package io.bloomguard.guard;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of the calling thread that keep what they have read, or the database's snapshot of
 * it: a later read may return the same.
 */
@FunctionalInterface
public interface ReadSessions {

  /**
   * {@return the greatest age of a session that reads of the calling thread may come from} {@link
   * Transactions#UNKNOWN_AGE} if only its presence is known, null if there is none.
   */
  @Nullable Duration age();

  /**
   * {@return the greatest age of a session that the calling thread has used since a moment, and
   * that was opened before it} Null if there is none, or none is known.
   *
   * @param moment of {@code System.nanoTime()}
   */
  default @Nullable Duration used(long moment) {
    return null;
  }
}

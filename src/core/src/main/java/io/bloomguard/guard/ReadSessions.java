package io.bloomguard.guard;

import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of the calling thread that keep what they have read, or the database's snapshot of
 * it: a later read may return the same.
 */
@FunctionalInterface
public interface ReadSessions {

  /**
   * {@return the {@code System.nanoTime()} at which the oldest session was opened that reads of the
   * calling thread may come from} {@link Transactions#UNKNOWN_AGE} ago if only its presence is
   * known, null if there is none.
   */
  @Nullable Long openedAt();

  /**
   * {@return the sessions that the calling thread uses} Asked on any thread for a moment of {@code
   * System.nanoTime()}, they tell the opening of the oldest one that was opened before it and that
   * some thread has used since; null if there is none, or none is known.
   */
  default LongFunction<@Nullable Long> used() {
    return moment -> null;
  }

  /**
   * {@return whether the transaction that ends on the calling thread may have committed, although
   * its manager reports a rollback}
   */
  default boolean isCommitLost() {
    return false;
  }
}

package io.bloomguard.guard.load;

import io.bloomguard.guard.Lease;
import org.jspecify.annotations.Nullable;

/**
 * The permit to load.
 *
 * @param found an answer that was found meanwhile, so that there is nothing to load
 * @param asOf the {@code nanoTime} before the request for that answer
 * @param lease the lease; null if the value cache is out of reach
 * @param outdated whether the load may miss a write that has ended: its value is for its caller
 *     alone
 */
record LoadPermit<V>(
    @Nullable Answer<V> found, long asOf, @Nullable Lease lease, boolean outdated) {

  static <V> LoadPermit<V> toLoad(@Nullable Lease lease, boolean outdated) {
    return new LoadPermit<>(null, 0, lease, outdated);
  }

  /** Nothing to load, and nothing for the callers that joined. */
  static <V> LoadPermit<V> notToLoad(Answer<V> found) {
    return new LoadPermit<>(found, 0, null, false);
  }
}

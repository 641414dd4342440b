package io.bloomguard.generation.internal;

import java.time.Duration;

/**
 * The settings for a process' copy of a filter whose bits live elsewhere.
 *
 * @param maxBytes the largest size of the copy; a larger filter is not copied
 * @param confirm the treatment of a key that the copy does not have
 * @param maxStaleness the greatest age, for the copy to answer, of the state with which it was last
 *     compared
 */
public record ReplicaSettings(long maxBytes, Confirm confirm, Duration maxStaleness) {

  /** The treatment of a key that the copy lacks. */
  public enum Confirm {
    /** The filter itself is asked before the key is called absent. */
    ALWAYS,
    /** The copy decides, unless it is older than the configured staleness. */
    WHEN_STALE_OVER
  }
}

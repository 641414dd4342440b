package io.bloomguard.generation;

import java.time.Duration;

/**
 * How a process keeps a copy of a filter whose bits live elsewhere.
 *
 * @param maxBytes how large the copy may be; a larger filter is not copied
 * @param confirm what becomes of a key that the copy does not have
 * @param maxStaleness how old what the copy was last compared with may be, for it to answer
 */
public record ReplicaSettings(long maxBytes, Confirm confirm, Duration maxStaleness) {

  /** The treatment of a key that the copy lacks. */
  public enum Confirm {
    /** The filter itself is asked before the key is called absent. */
    ALWAYS,
    /** The copy is believed, unless it is older than the stated staleness. */
    WHEN_STALE_OVER
  }
}

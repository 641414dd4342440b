package io.bloomguard.generation.internal;

import java.time.Duration;

/**
 * The settings for a process' copy of a filter whose bits live elsewhere.
 *
 * <p>A copy may call a key absent by itself while it holds a lease: an add is acknowledged only
 * once every copy has it, or its lease must have run out (Gray and Cheriton, "Leases: An Efficient
 * Fault-Tolerant Mechanism for Distributed File Cache Consistency", SOSP 1989).
 *
 * @param maxBytes the largest size of the copy; a larger filter is not copied
 * @param lease the length of a lease, from the moment at which its holder asked for it
 */
public record ReplicaSettings(long maxBytes, Duration lease) {

  /** The shortest lease: it must outlast a few polls. */
  public static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

  /** The longest lease of any process, which a writer waits for when it cannot know the copies. */
  public static final Duration LONGEST_LEASE = Duration.ofMillis(1500);

  private static final Duration LEAST_MARGIN = Duration.ofMillis(10);

  /**
   * {@return what a holder takes off a lease, and a writer adds to it} 10 ms and 1 %, because
   * neither their clocks nor their readings of them are equal.
   */
  public static Duration margin(Duration lease) {
    return LEAST_MARGIN.plus(lease.dividedBy(100));
  }
}

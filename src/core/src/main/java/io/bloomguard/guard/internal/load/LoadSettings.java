package io.bloomguard.guard.internal.load;

import java.time.Duration;

/**
 * The bounds on loads, and on writes whose end was not seen.
 *
 * @param maxConcurrent loads at once in this process, at least 1
 * @param timeout a load's own time limit, shorter than the lease; an asynchronous load fails at the
 *     limit, a load on the caller's thread only leads to a warning, since it cannot be stopped
 *     safely
 * @param maxWait the time that a caller waits for the permit to load or for another caller's load
 * @param maxQueue the time that the holder of a lease queues for one of those places; together with
 *     the time limit of the load it fits into the lease
 * @param maxWaiting the bound on callers that wait for such a place, and on asynchronous calls
 *     under way, at least 1; more are refused at once
 * @param longestWrite the time that a statement takes at most, after which a write counts as ended
 *     whose end was not seen
 */
public record LoadSettings(
    int maxConcurrent,
    Duration timeout,
    Duration maxWait,
    Duration maxQueue,
    int maxWaiting,
    Duration longestWrite) {

  /** The bound on waiting callers outside of tests. */
  public static final int MAX_WAITING = 10_000;
}

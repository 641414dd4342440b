package io.bloomguard.guard;

import java.time.Duration;

/**
 * The bounds on loads.
 *
 * @param maxConcurrent loads at once in this process, at least 1
 * @param timeout a load's own time limit, shorter than the lease; an asynchronous load fails when
 *     it is over, one on the caller's thread is only warned of, since it cannot be stopped safely
 * @param maxWait how long a caller waits for the right to load or for another caller's load
 * @param maxQueue how long the holder of a lease queues for one of those places; with the time
 *     limit of the load it fits into the lease
 */
public record LoadSettings(
    int maxConcurrent, Duration timeout, Duration maxWait, Duration maxQueue) {

  public LoadSettings {
    if (maxConcurrent < 1) {
      throw new IllegalArgumentException("max-concurrent is " + maxConcurrent + ", below 1");
    }
  }

  /** For a lease that is longer than wait and time limit together. */
  public LoadSettings(int maxConcurrent, Duration timeout, Duration maxWait) {
    this(maxConcurrent, timeout, maxWait, maxWait);
  }
}

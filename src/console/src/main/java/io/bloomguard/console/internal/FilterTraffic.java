package io.bloomguard.console.internal;

import io.bloomguard.guard.DeniedKeyListener;
import io.bloomguard.guard.internal.OutcomeCounters;
import java.time.Duration;

/**
 * The traffic of one filter in the last minutes: outcomes over time, and the prefixes of denied
 * keys.
 */
public final class FilterTraffic {

  /** The time after which the counts of the sketch are halved. */
  private static final Duration HALF_LIFE = Duration.ofMinutes(1);

  private final OutcomeHistory history = new OutcomeHistory();
  private final PrefixSketch denied = new PrefixSketch();
  private long aged;

  /**
   * No traffic yet.
   *
   * @param now milliseconds since the epoch
   */
  public FilterTraffic(long now) {
    aged = now;
  }

  /** The listener to the keys that the filter denies. */
  public DeniedKeyListener listener() {
    return denied;
  }

  /** Takes the traffic since the last call, by one thread at a time. Returns at once. */
  public void sample(long now, OutcomeCounters counters) {
    history.sample(now, counters);
    if (now - aged >= HALF_LIFE.toMillis()) {
      aged = now;
      denied.age();
    }
  }

  OutcomeHistory history() {
    return history;
  }

  PrefixSketch denied() {
    return denied;
  }
}

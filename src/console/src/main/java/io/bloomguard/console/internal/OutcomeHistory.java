package io.bloomguard.console.internal;

import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.OutcomeCounters;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The rates of each outcome of one filter's keys, over the last 15 minutes.
 *
 * <p>A ring of samples of the outcome counters, one in five seconds: 181 times ten numbers, however
 * many keys there are, and no key among them.
 */
final class OutcomeHistory {

  /** The least time between two samples, in milliseconds. */
  static final long STEP = 5_000;

  /** The approximate time from the oldest sample to the newest one, in milliseconds. */
  static final long SPAN = 900_000;

  private static final int CAPACITY = (int) (SPAN / STEP) + 1;
  private static final int OUTCOMES = Outcome.values().length;
  private static final double SECOND = 1_000;

  private final long[] times = new long[CAPACITY];
  private final long[] counts = new long[CAPACITY * OUTCOMES];
  private int size;
  private int newest = -1;

  /**
   * Takes a sample, unless the last one is younger than a step.
   *
   * @param now milliseconds since the epoch; if the clock was set back, the history begins again
   */
  synchronized void sample(long now, OutcomeCounters counters) {
    if (size > 0 && now < times[newest]) {
      size = 0;
    }
    if (size > 0 && now - times[newest] < STEP) {
      return;
    }
    newest = at(newest + 1);
    size = Math.min(size + 1, CAPACITY);
    times[newest] = now;
    for (Outcome outcome : Outcome.values()) {
      counts[newest * OUTCOMES + outcome.ordinal()] = counters.count(outcome);
    }
  }

  /** The rates between each two samples, oldest first. */
  synchronized Rates rates() {
    int steps = Math.max(0, size - 1);
    int oldest = newest - steps;
    long[] ends = new long[steps];
    for (int i = 0; i < steps; i++) {
      ends[i] = times[at(oldest + i + 1)];
    }
    Map<String, double[]> perSecond = new LinkedHashMap<>();
    for (Outcome outcome : Outcome.values()) {
      double[] rates = new double[steps];
      for (int i = 0; i < steps; i++) {
        int from = at(oldest + i);
        int to = at(oldest + i + 1);
        rates[i] = (count(to, outcome) - count(from, outcome)) * SECOND / (times[to] - times[from]);
      }
      perSecond.put(outcome.tag(), rates);
    }
    return new Rates(ends, perSecond);
  }

  private long count(int sample, Outcome outcome) {
    return counts[sample * OUTCOMES + outcome.ordinal()];
  }

  private static int at(int sample) {
    return Math.floorMod(sample, CAPACITY);
  }

  /**
   * Rates of one filter.
   *
   * @param times the end of each step, in milliseconds since the epoch
   * @param perSecond keys a second in each step, by outcome
   */
  record Rates(long[] times, Map<String, double[]> perSecond) {}
}

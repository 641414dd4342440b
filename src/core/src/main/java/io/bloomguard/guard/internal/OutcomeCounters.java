package io.bloomguard.guard.internal;

import java.util.concurrent.atomic.LongAdder;

/** The exclusive outcomes of one filter, counted for each entry point. Meters read them. */
public final class OutcomeCounters {

  private static final int OUTCOMES = Outcome.values().length;

  // By entry, then by outcome. Filled here and never changed, so threads read it without a lock.
  private final LongAdder[] counts = new LongAdder[EntryPoint.values().length * OUTCOMES];

  /** Counters at zero. */
  public OutcomeCounters() {
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  /**
   * Records one outcome.
   *
   * @param entry the entry point of the key
   * @param outcome the end of its way
   */
  public void record(EntryPoint entry, Outcome outcome) {
    adder(entry, outcome).increment();
  }

  /**
   * Records the same outcome for {@code keys} keys.
   *
   * @param entry the entry point of the keys
   * @param outcome the end of their way
   * @param keys the number of keys, 0 or more
   */
  public void record(EntryPoint entry, Outcome outcome, long keys) {
    adder(entry, outcome).add(keys);
  }

  /**
   * {@return the number of keys with that outcome at that entry point}
   *
   * @param entry the entry point of the keys
   * @param outcome the end of their way
   */
  public long count(EntryPoint entry, Outcome outcome) {
    return adder(entry, outcome).sum();
  }

  /**
   * {@return the number of keys with that outcome at all entry points}
   *
   * @param outcome the end of the keys' way
   */
  public long count(Outcome outcome) {
    long sum = 0;
    for (EntryPoint entry : EntryPoint.values()) {
      sum += count(entry, outcome);
    }
    return sum;
  }

  private LongAdder adder(EntryPoint entry, Outcome outcome) {
    return counts[entry.ordinal() * OUTCOMES + outcome.ordinal()];
  }
}

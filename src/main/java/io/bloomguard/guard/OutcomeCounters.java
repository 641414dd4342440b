package io.bloomguard.guard;

import java.util.concurrent.atomic.LongAdder;

/** The exclusive outcomes of one filter, counted for each entry point. Meters read them. */
public final class OutcomeCounters {

  private static final int OUTCOMES = Outcome.values().length;

  // By entry, then by outcome. Filled here and never changed, so threads read it without a lock.
  private final LongAdder[] counts = new LongAdder[EntryPoint.values().length * OUTCOMES];

  public OutcomeCounters() {
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  /** Records one outcome. */
  public void record(EntryPoint entry, Outcome outcome) {
    adder(entry, outcome).increment();
  }

  /** Records the same outcome for {@code keys} keys. */
  public void record(EntryPoint entry, Outcome outcome, long keys) {
    adder(entry, outcome).add(keys);
  }

  /** The number of keys with that outcome at that entry point. */
  public long count(EntryPoint entry, Outcome outcome) {
    return adder(entry, outcome).sum();
  }

  /** The number of keys with that outcome at all entry points. */
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

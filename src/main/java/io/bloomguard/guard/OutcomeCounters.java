package io.bloomguard.guard;

import java.util.concurrent.atomic.LongAdder;

/** The exclusive outcomes of one filter, counted for each entry. Meters read them. */
public final class OutcomeCounters {

  private static final int OUTCOMES = Outcome.values().length;

  private final LongAdder[] counts = new LongAdder[Entry.values().length * OUTCOMES];

  public OutcomeCounters() {
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  /** Records one outcome. */
  public void record(Entry entry, Outcome outcome) {
    counts[entry.ordinal() * OUTCOMES + outcome.ordinal()].increment();
  }

  /** Records the same outcome for {@code keys} keys. */
  public void record(Entry entry, Outcome outcome, long keys) {
    counts[entry.ordinal() * OUTCOMES + outcome.ordinal()].add(keys);
  }

  /** How many keys ended so at that entry. */
  public long count(Entry entry, Outcome outcome) {
    return counts[entry.ordinal() * OUTCOMES + outcome.ordinal()].sum();
  }

  /** How many keys ended so at any entry. */
  public long count(Outcome outcome) {
    long sum = 0;
    for (Entry entry : Entry.values()) {
      sum += count(entry, outcome);
    }
    return sum;
  }
}

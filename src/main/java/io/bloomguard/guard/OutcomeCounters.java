package io.bloomguard.guard;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** The exclusive outcomes of one filter, counted for each entry. Meters read them. */
public final class OutcomeCounters {

  // Filled here and never changed, so that threads may read them without a lock.
  private final Map<Entry, Map<Outcome, LongAdder>> counts = new EnumMap<>(Entry.class);

  public OutcomeCounters() {
    for (Entry entry : Entry.values()) {
      Map<Outcome, LongAdder> outcomes = new EnumMap<>(Outcome.class);
      for (Outcome outcome : Outcome.values()) {
        outcomes.put(outcome, new LongAdder());
      }
      counts.put(entry, outcomes);
    }
  }

  /** Records one outcome. */
  public void record(Entry entry, Outcome outcome) {
    record(entry, outcome, 1);
  }

  /** Records the same outcome for {@code keys} keys. */
  public void record(Entry entry, Outcome outcome, long keys) {
    adder(entry, outcome).add(keys);
  }

  /** How many keys ended so at that entry. */
  public long count(Entry entry, Outcome outcome) {
    return adder(entry, outcome).sum();
  }

  /** How many keys ended so at any entry. */
  public long count(Outcome outcome) {
    long sum = 0;
    for (Entry entry : Entry.values()) {
      sum += count(entry, outcome);
    }
    return sum;
  }

  @SuppressWarnings("NullAway") // every constant has its adder
  private LongAdder adder(Entry entry, Outcome outcome) {
    return counts.get(entry).get(outcome);
  }
}

package io.bloomguard.it.faults;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** What was seen from shortly before a fault until it was over. */
final class Tally {

  private static final int SAMPLES = 5;

  final LongAdder checks = new LongAdder();
  final LongAdder undecided = new LongAdder();

  /** Of the checks, those that were sent when an insert in another shop had just returned. */
  final LongAdder asked = new LongAdder();

  final LongAdder inserts = new LongAdder();
  final LongAdder refusedInserts = new LongAdder();
  final LongAdder herds = new LongAdder();
  final LongAdder staleNulls = new LongAdder();
  final LongAdder removals = new LongAdder();
  private final List<String> samples = new ArrayList<>();
  private long wrongRejections;
  private long calmReads;
  private long calmChecks;
  private long slowestMicros;
  private int mostLoads;
  private int mostAtOnce;

  /**
   * What was seen between two moments before a fault; the last such counts.
   *
   * @param reads the times that checks of any filter read Redis
   * @param checked the checks that were judged
   */
  synchronized void calm(long reads, long checked) {
    calmReads = reads;
    calmChecks = checked;
  }

  /** The share of the checks that no read of Redis stands against, in percent; -1 for unknown. */
  synchronized int fromCopies() {
    return calmChecks == 0 ? -1 : (int) Math.max(0, 100 - 100 * calmReads / calmChecks);
  }

  synchronized void wrong(String what) {
    wrongRejections++;
    if (samples.size() < SAMPLES) {
      samples.add(what);
    }
  }

  synchronized void slow(long micros) {
    slowestMicros = Math.max(slowestMicros, micros);
  }

  synchronized void loads(int ofOneHerd, int atOnce) {
    herds.increment();
    mostLoads = Math.max(mostLoads, ofOneHerd);
    mostAtOnce = Math.max(mostAtOnce, atOnce);
  }

  synchronized long wrongRejections() {
    return wrongRejections;
  }

  /** A few of the wrong rejections, in words. */
  synchronized List<String> samples() {
    return List.copyOf(samples);
  }

  synchronized long slowestMicros() {
    return slowestMicros;
  }

  synchronized int mostLoads() {
    return mostLoads;
  }

  synchronized int mostAtOnce() {
    return mostAtOnce;
  }
}

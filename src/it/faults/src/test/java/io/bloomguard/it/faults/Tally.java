package io.bloomguard.it.faults;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** What was seen from shortly before a fault until it was over. */
final class Tally {

  private static final int SAMPLES = 5;

  final LongAdder checks = new LongAdder();
  final LongAdder undecided = new LongAdder();
  final LongAdder inserts = new LongAdder();
  final LongAdder refusedInserts = new LongAdder();
  final LongAdder herds = new LongAdder();
  final LongAdder staleNulls = new LongAdder();
  final LongAdder removals = new LongAdder();
  private final List<String> samples = new ArrayList<>();
  private long wrongRejections;
  private long slowestMicros;
  private int mostLoads;
  private int mostAtOnce;

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

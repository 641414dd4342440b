package io.bloomguard.it.faults;

import java.util.concurrent.TimeUnit;

/** Whether one worker decides again: when it last did, and when it last did not. */
final class Pulse {

  /** How long it must have gone well to count as normal. */
  private static final long CALM = TimeUnit.SECONDS.toNanos(1);

  private static final int BATCHES = 5;

  private long trouble = System.nanoTime();
  private int decided;
  private int rejected;
  private int inserted;

  /** Something was undecided or refused. */
  synchronized void trouble() {
    trouble = System.nanoTime();
    decided = 0;
    rejected = 0;
    inserted = 0;
  }

  /** Every key of a batch was decided, and the absent ones that many times rejected. */
  synchronized void decided(boolean absentRejected) {
    decided++;
    rejected += absentRejected ? 1 : 0;
  }

  synchronized void inserted() {
    inserted++;
  }

  synchronized boolean isNormal() {
    return System.nanoTime() - trouble > CALM
        && decided >= BATCHES
        && rejected >= BATCHES
        && inserted > 0;
  }

  /** When the trouble ended, by {@link System#nanoTime}. */
  synchronized long normalSince() {
    return trouble;
  }

  @Override
  public synchronized String toString() {
    return "quiet for "
        + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - trouble)
        + " ms, decided "
        + decided
        + ", absent rejected "
        + rejected
        + ", inserted "
        + inserted;
  }
}

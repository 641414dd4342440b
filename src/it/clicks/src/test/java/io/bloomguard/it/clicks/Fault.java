package io.bloomguard.it.clicks;

import java.util.concurrent.atomic.AtomicInteger;

/** The end of a process, or of a task, at a place of its work. */
final class Fault {

  /** The exit status of a process that met its fault. */
  static final int MET = 42;

  /** The time, in passes of the place, so that something is done before. */
  private static final int PASSES = 3;

  private static final AtomicInteger PASSED = new AtomicInteger();

  private Fault() {}

  /** Ends the process at once, or throws, if this is the place that was named. */
  static void at(String place) {
    if (System.getProperty("fault", "").equals(place) && PASSED.incrementAndGet() == PASSES) {
      if (Boolean.getBoolean("fault.task")) {
        throw new IllegalStateException("The task ends " + place);
      }
      Runtime.getRuntime().halt(MET);
    }
  }
}

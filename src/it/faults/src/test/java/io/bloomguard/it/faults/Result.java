package io.bloomguard.it.faults;

import java.util.List;
import java.util.Locale;

/** What one fault led to. */
record Result(
    Fault fault, int times, Tally tally, long loads, long millisToNormal, List<String> failures) {

  private static final String ROW = "%-52s|%5s|%8s|%8s|%6s|%8s|%8s|%7s|%6s|%9s|%9s|%s";

  boolean passed() {
    return failures.isEmpty();
  }

  static String header() {
    return String.format(
        ROW, "fault", "times", "checks", "inserts", "wrong", "unknown", "refused", "loads", "a key",
        "slowest", "normal", "");
  }

  String row() {
    return String.format(
        Locale.ROOT,
        ROW,
        fault.name(),
        times,
        tally.checks.sum(),
        tally.inserts.sum(),
        tally.wrongRejections(),
        percent(tally.undecided.sum(), tally.checks.sum()),
        tally.refusedInserts.sum(),
        loads,
        tally.mostLoads(),
        tally.slowestMicros() / 1_000 + " ms",
        millisToNormal < 0 ? "never" : millisToNormal + " ms",
        passed() ? "" : "FAILED " + String.join("; ", failures));
  }

  private static String percent(long part, long whole) {
    return whole == 0 ? "-" : String.format(Locale.ROOT, "%.2f %%", 100.0 * part / whole);
  }
}

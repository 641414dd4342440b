package io.bloomguard.it.faults;

import java.util.List;
import java.util.Locale;

/**
 * What one fault led to.
 *
 * @param times how often it was made
 * @param loads of all keys in all processes meanwhile
 * @param millisToNormal the longest time after which everything was decided again; -1 if never
 * @param failures what must not be, in words
 */
record Result(
    Fault fault, int times, Tally tally, long loads, long millisToNormal, List<String> failures) {

  private static final String ROW = "%-52s|%5s|%8s|%7s|%7s|%8s|%8s|%6s|%8s|%8s|%7s|%6s|%9s|%9s|%s";

  private static final List<String> TITLES =
      List.of(
          "fault",
          "times",
          "checks",
          "at once",
          "copies",
          "inserts",
          "removals",
          "wrong",
          "unknown",
          "refused",
          "loads",
          "a key",
          "slowest",
          "normal",
          "");

  boolean passed() {
    return failures.isEmpty();
  }

  static String header() {
    return String.format(ROW, TITLES.toArray());
  }

  String row() {
    return String.format(ROW, cells().toArray());
  }

  /** All results as a table in Markdown. */
  static String table(List<Result> results) {
    StringBuilder table = new StringBuilder(line(TITLES));
    table.append(line(TITLES.stream().map(title -> "---").toList()));
    results.forEach(result -> table.append(line(result.cells())));
    return table.toString();
  }

  private static String line(List<String> cells) {
    return "| " + String.join(" | ", cells) + " |\n";
  }

  private List<String> cells() {
    return List.of(
        fault.name(),
        Integer.toString(times),
        Long.toString(tally.checks.sum()),
        Long.toString(tally.asked.sum()),
        tally.fromCopies() + " %",
        Long.toString(tally.inserts.sum()),
        Long.toString(tally.removals.sum()),
        Long.toString(tally.wrongRejections()),
        percent(tally.undecided.sum(), tally.checks.sum()),
        Long.toString(tally.refusedInserts.sum()),
        Long.toString(loads),
        Integer.toString(tally.mostLoads()),
        tally.slowestMicros() / 1_000 + " ms",
        millisToNormal < 0 ? "never" : millisToNormal + " ms",
        passed() ? "" : "FAILED " + String.join("; ", failures));
  }

  private static String percent(long part, long whole) {
    return whole == 0 ? "-" : String.format(Locale.ROOT, "%.2f %%", 100.0 * part / whole);
  }
}

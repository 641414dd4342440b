package io.bloomguard.it.faults;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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

  private static final String ROW = "%-52s|%5s|%8s|%7s|%8s|%8s|%8s|%6s|%9s|%8s|%7s|%6s|%10s|%9s|%s";

  private static final List<String> TITLES =
      List.of(
          "fault",
          "times",
          "checks",
          "at once",
          "copies %",
          "inserts",
          "removals",
          "wrong",
          "unknown %",
          "refused",
          "loads",
          "a key",
          "slowest ms",
          "normal ms",
          "failed");

  boolean passed() {
    return failures.isEmpty();
  }

  static String header() {
    return String.format(ROW, TITLES.toArray());
  }

  String row() {
    return String.format(ROW, cells().toArray());
  }

  /** All results, in the form of {@code docs/faults.csv}. */
  static String csv(List<Result> results) {
    return Stream.concat(Stream.of(TITLES), results.stream().map(Result::cells))
        .map(Result::line)
        .collect(Collectors.joining());
  }

  private static String line(List<String> cells) {
    return cells.stream()
        .map(cell -> cell.contains(",") ? '"' + cell + '"' : cell)
        .collect(Collectors.joining(",", "", "\n"));
  }

  private List<String> cells() {
    return List.of(
        fault.name(),
        Integer.toString(times),
        Long.toString(tally.checks.sum()),
        Long.toString(tally.asked.sum()),
        Integer.toString(tally.fromCopies()),
        Long.toString(tally.inserts.sum()),
        Long.toString(tally.removals.sum()),
        Long.toString(tally.wrongRejections()),
        percent(tally.undecided.sum(), tally.checks.sum()),
        Long.toString(tally.refusedInserts.sum()),
        Long.toString(loads),
        Integer.toString(tally.mostLoads()),
        Long.toString(tally.slowestMicros() / 1_000),
        millisToNormal < 0 ? "never" : Long.toString(millisToNormal),
        passed() ? "" : "FAILED " + String.join("; ", failures));
  }

  private static String percent(long part, long whole) {
    return whole == 0 ? "-" : String.format(Locale.ROOT, "%.2f", 100.0 * part / whole);
  }
}

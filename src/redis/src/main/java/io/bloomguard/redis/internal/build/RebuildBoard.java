package io.bloomguard.redis.internal.build;

import io.bloomguard.generation.RebuildOutcome;
import io.bloomguard.generation.RebuildProgress;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RebuildTrigger;
import java.time.DateTimeException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The status of a filter's builds, each in one line of text: columns between tabs, first the
 * fencing token, then the run. A line of a later build stays. An unreadable line counts as missing.
 *
 * @param cancel the run that must stop
 * @param running the progress of the latest build
 * @param success the end of the latest build that succeeded
 * @param last the end of the latest build, the only one that may tell of a failure in any words
 */
record RebuildBoard(String cancel, String running, String success, String last) {

  private static final String TAB = "\t";
  private static final String LINE = "\u001e";
  private static final int LINES = 4;
  private static final int PROGRESS_COLUMNS = 5;
  private static final int REPORT_COLUMNS = 8;

  static RebuildBoard parse(String text) {
    String[] lines = text.split(LINE, LINES);
    return lines.length < LINES
        ? new RebuildBoard("", "", "", "")
        : new RebuildBoard(lines[0], lines[1], lines[2], lines[3]);
  }

  String text() {
    return String.join(LINE, cancel, running, success, last);
  }

  RebuildBoard cancelling(String run) {
    return new RebuildBoard(run, running, success, last);
  }

  RebuildBoard running(long token, RebuildProgress progress) {
    String line =
        String.join(
            TAB,
            Long.toString(token),
            progress.run(),
            Long.toString(progress.scanned()),
            progress.total() == null ? "" : progress.total().toString(),
            Double.toString(progress.ratePerSecond()));
    return new RebuildBoard(cancel, later(running, line), success, last);
  }

  RebuildBoard ended(long token, RebuildReport report, boolean succeeded) {
    String line =
        String.join(
            TAB,
            Long.toString(token),
            report.run(),
            report.started().toString(),
            report.finished().toString(),
            Long.toString(report.keys()),
            report.outcome().name(),
            report.trigger().name(),
            report.failure() == null ? "" : report.failure());
    return new RebuildBoard(
        cancel, running, succeeded ? later(success, line) : success, later(last, line));
  }

  private static String later(String known, String line) {
    return token(known) <= token(line) ? line : known;
  }

  private static long token(String line) {
    return line.isEmpty() ? 0 : Long.parseLong(line.substring(0, line.indexOf(TAB)));
  }

  /** The progress of {@code run}, zero if the line is of another run. */
  RebuildProgress progress(String run) {
    String[] columns = running.split(TAB, PROGRESS_COLUMNS);
    try {
      if (columns.length == PROGRESS_COLUMNS && columns[1].equals(run)) {
        Long total = columns[3].isEmpty() ? null : Long.valueOf(columns[3]);
        double rate = Double.parseDouble(columns[4]);
        return RebuildProgress.of(run, Long.parseLong(columns[2]), total, rate);
      }
    } catch (NumberFormatException e) {
      // A version with another format builds; the run is known all the same.
    }
    return RebuildProgress.of(run, 0, null, 0);
  }

  static @Nullable RebuildReport report(String line) {
    String[] columns = line.split(TAB, REPORT_COLUMNS);
    if (columns.length < REPORT_COLUMNS) {
      return null;
    }
    try {
      return new RebuildReport(
          columns[1],
          Instant.parse(columns[2]),
          Instant.parse(columns[3]),
          Long.parseLong(columns[4]),
          RebuildOutcome.valueOf(columns[5]),
          RebuildTrigger.valueOf(columns[6]),
          columns[7].isEmpty() ? null : columns[7]);
    } catch (IllegalArgumentException | DateTimeException e) {
      return null;
    }
  }
}

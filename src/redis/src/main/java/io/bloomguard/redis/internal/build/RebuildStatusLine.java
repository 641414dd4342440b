package io.bloomguard.redis.internal.build;

import io.bloomguard.generation.RebuildOutcome;
import io.bloomguard.generation.RebuildProgress;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RebuildTrigger;
import java.time.DateTimeException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The status of a build in one line of text: columns between tabs, first the fencing token, then
 * the run. An unreadable line counts as missing.
 */
final class RebuildStatusLine {

  private static final String TAB = "\t";
  private static final int PROGRESS_COLUMNS = 5;
  private static final int REPORT_COLUMNS = 8;

  private RebuildStatusLine() {}

  static String of(long token, RebuildProgress progress) {
    return String.join(
        TAB,
        Long.toString(token),
        progress.run(),
        Long.toString(progress.scanned()),
        progress.total() == null ? "" : progress.total().toString(),
        Double.toString(progress.ratePerSecond()));
  }

  static String of(long token, RebuildReport report) {
    return String.join(
        TAB,
        Long.toString(token),
        report.run(),
        report.started().toString(),
        report.finished().toString(),
        Long.toString(report.keys()),
        report.outcome().name(),
        report.trigger().name(),
        report.failure() == null ? "" : report.failure());
  }

  /** The progress of {@code run}, zero if the line is of another run. */
  static RebuildProgress progress(String line, String run) {
    String[] columns = line.split(TAB, PROGRESS_COLUMNS);
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

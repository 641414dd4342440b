package io.bloomguard.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The short table of the attack in the README, between two comments that stand there. */
final class ReadmeTable {

  private static final String BEGIN = "<!-- mvn -Pbench verify -Dbench.only=AttackTable -->\n";
  private static final String END = "<!-- end -->\n";

  /** The rows, in their order: what a newcomer compares. The page of the benchmarks has all. */
  private static final List<String> CONTESTANTS =
      List.of(
          "no guard",
          "@Cacheable with nulls",
          "Redisson's filter",
          "bloomguard redis, method",
          "bloomguard local, method");

  private ReadmeTable() {}

  /** Writes the table from the rows of the attack. */
  static void write(Path readme, SuiteResult attack) {
    try {
      String text = Files.readString(readme);
      int from = text.indexOf(BEGIN);
      int to = text.indexOf(END, from);
      if (from < 0 || to < 0) {
        throw new IllegalStateException(readme + " has no place for the table: " + BEGIN);
      }
      from += BEGIN.length();
      Files.writeString(readme, text.substring(0, from) + table(attack) + text.substring(to));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String table(SuiteResult attack) {
    List<Map<String, Object>> common = attack.where(new String[] {"load=common"});
    int rate = (int) number(common.get(0), "offered");
    StringBuilder table = new StringBuilder();
    table.append(
        String.format(
            Locale.ROOT,
            "| | requests a second | processor time a request | Redis commands a request "
                + "| database queries for 1,000 requests | p99 at %,d a second |\n",
            rate));
    table.append("|---|--:|--:|--:|--:|--:|\n");
    for (String contestant : CONTESTANTS) {
      Map<String, Object> most = row(attack, contestant, "highest");
      table.append(
          String.format(
              Locale.ROOT,
              "| %s | %,d | %.0f µs | %.1f | %.0f | %.1f ms |\n",
              contestant,
              (long) number(most, "answered"),
              number(most, "cpuMicros"),
              number(most, "redisCommands"),
              number(most, "queries"),
              number(row(attack, contestant, "common"), "p99Millis")));
    }
    return table.toString();
  }

  private static Map<String, Object> row(SuiteResult attack, String contestant, String load) {
    return attack.where(new String[] {"load=" + load, "contestant=" + contestant}).stream()
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("AttackTable has no row of " + contestant));
  }

  private static double number(Map<String, Object> row, String column) {
    return ((Number) row.get(column)).doubleValue();
  }
}

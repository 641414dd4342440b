package io.bloomguard.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The short table of the attack in each README, between two comments that stand there. */
final class ReadmeTable {

  private static final Map<Path, String> HEADERS =
      Map.of(
          Path.of("README.md"),
          "| | requests a second | same, database 1 ms away | processor time a request | Redis"
              + " commands a request | database queries for 1,000 requests | p99 at %,d a second"
              + " |\n",
          Path.of("README.zh-CN.md"),
          "| | 每秒请求数 | 数据库在 1 ms 外时的每秒请求数 | 每个请求的 CPU 时间 | 每个请求的 Redis 命令数 "
              + "| 每千次请求的数据库查询数 | 每秒 %,d 次时的 p99 |\n");

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

  /** Writes the tables from the rows of the attack, with the near database and with the far one. */
  static void write(SuiteResult near, SuiteResult far) {
    HEADERS.forEach((readme, header) -> write(readme, table(header, near, far)));
  }

  private static void write(Path readme, String table) {
    try {
      String text = Files.readString(readme);
      int from = text.indexOf(BEGIN);
      int to = text.indexOf(END, from);
      if (from < 0 || to < 0) {
        throw new IllegalStateException(readme + " has no place for the table: " + BEGIN);
      }
      from += BEGIN.length();
      Files.writeString(readme, text.substring(0, from) + table + text.substring(to));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String table(String header, SuiteResult near, SuiteResult far) {
    List<Map<String, Object>> common = near.where(new String[] {"load=common"});
    int rate = (int) number(common.get(0), "offered");
    StringBuilder table = new StringBuilder(String.format(Locale.ROOT, header, rate));
    table.append("|---|--:|--:|--:|--:|--:|--:|\n");
    for (String contestant : CONTESTANTS) {
      Map<String, Object> most = row(near, contestant, "highest");
      table.append(
          String.format(
              Locale.ROOT,
              "| %s | %,d | %,d | %.0f µs | %.1f | %.0f | %.1f ms |\n",
              contestant,
              (long) number(most, "answered"),
              (long) number(row(far, contestant, "highest"), "answered"),
              number(most, "cpuMicros"),
              number(most, "redisCommands"),
              number(most, "queries"),
              number(row(near, contestant, "common"), "p99Millis")));
    }
    return table.toString();
  }

  private static Map<String, Object> row(SuiteResult attack, String contestant, String load) {
    return attack.where(new String[] {"load=" + load, "contestant=" + contestant}).stream()
        .findFirst()
        .orElseThrow(
            () -> new IllegalStateException(attack.name() + " has no row of " + contestant));
  }

  private static double number(Map<String, Object> row, String column) {
    return ((Number) row.get(column)).doubleValue();
  }
}

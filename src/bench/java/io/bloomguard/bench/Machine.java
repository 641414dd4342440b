package io.bloomguard.bench;

import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a run ran on, as far as the platform tells; "unknown" where it does not.
 *
 * @param caches sizes by name, of the first core
 * @param memory what the machine has in all
 * @param heap the heap of the processes that measure, unless a benchmark says otherwise
 * @param versions of the libraries on the class path that take part
 */
record Machine(
    String cpu,
    int cores,
    Map<String, String> caches,
    String memory,
    String os,
    String jdk,
    String heap,
    Map<String, String> versions) {

  private static final Pattern PEER =
      Pattern.compile(
          "(guava|fastfilter|redisson|caffeine|jmh-core|spring-aop|spring-data-redis|lettuce-core"
              + "|aspectjweaver|postgresql|tomcat-embed-core|hash4j)-(\\d[^/\\\\]*)\\.jar$");

  /** This machine, this JVM and its class path. */
  static Machine here() {
    return new Machine(
        readCpu(),
        Runtime.getRuntime().availableProcessors(),
        readCaches(),
        readMemory(),
        System.getProperty("os.name") + " " + System.getProperty("os.arch"),
        System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
        Runtime.getRuntime().maxMemory() / (1 << 20) + " MiB",
        readVersions());
  }

  /**
   * A text with {@code {L2}} replaced by the size of that cache, and {@code {keys in L2}} by the
   * keys whose filter at 1 % is of that size.
   */
  String fillIn(String text) {
    String filled = text;
    for (Map.Entry<String, String> cache : caches.entrySet()) {
      filled = filled.replace("{" + cache.getKey() + "}", cache.getValue());
      filled = filled.replace("{keys in " + cache.getKey() + "}", keysIn(cache.getValue()));
    }
    return filled;
  }

  private static String keysIn(String cache) {
    Matcher size = Pattern.compile("(\\d+)K").matcher(cache);
    if (!size.matches()) {
      return "an unknown number of keys";
    }
    double bitsPerKey = Sizing.shape(Layout.BLOCKED, 1_000_000, 0.01).bits() / 1e6;
    double keys = Long.parseLong(size.group(1)) * 1024 * 8 / bitsPerKey;
    return String.format(Locale.ROOT, "%,d keys", Math.round(keys / 1000) * 1000);
  }

  private static String readCpu() {
    return firstMatch(Path.of("/proc/cpuinfo"), Pattern.compile("model name\\s*:\\s*(.+)"));
  }

  private static String readMemory() {
    String kibibytes =
        firstMatch(Path.of("/proc/meminfo"), Pattern.compile("MemTotal:\\s*(\\d+) kB"));
    return kibibytes.equals("unknown")
        ? kibibytes
        : Math.round(Long.parseLong(kibibytes) / 1048576.0) + " GiB";
  }

  private static Map<String, String> readCaches() {
    Map<String, String> caches = new TreeMap<>();
    for (int i = 0; i < 8; i++) {
      Path cache = Path.of("/sys/devices/system/cpu/cpu0/cache/index" + i);
      String type = firstMatch(cache.resolve("type"), Pattern.compile("(\\w+)"));
      if (type.equals("Data") || type.equals("Unified")) {
        caches.put(
            "L" + firstMatch(cache.resolve("level"), Pattern.compile("(\\d)")),
            firstMatch(cache.resolve("size"), Pattern.compile("(\\w+)")));
      }
    }
    return caches;
  }

  private static Map<String, String> readVersions() {
    Map<String, String> versions = new TreeMap<>();
    List<String> jars = List.of(System.getProperty("java.class.path").split(File.pathSeparator));
    for (String jar : jars) {
      Matcher peer = PEER.matcher(Path.of(jar).getFileName().toString());
      if (peer.matches()) {
        versions.put(peer.group(1), peer.group(2));
      }
    }
    return versions;
  }

  private static String firstMatch(Path file, Pattern pattern) {
    List<String> lines = new ArrayList<>();
    try {
      lines.addAll(Files.readAllLines(file));
    } catch (IOException e) {
      return "unknown";
    }
    return lines.stream()
        .map(pattern::matcher)
        .filter(Matcher::find)
        .map(match -> match.group(1).strip())
        .findFirst()
        .orElse("unknown");
  }
}

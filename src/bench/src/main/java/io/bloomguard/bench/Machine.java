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
import java.util.stream.Collectors;

/**
 * What a run ran on, as far as the platform tells; "unknown" where it does not.
 *
 * @param cachesKiB sizes by name, of the first core
 * @param memory what the machine has in all
 * @param heap the heap of the processes that measure, unless a benchmark says otherwise
 * @param versions of the libraries on the class path that take part
 */
record Machine(
    String cpu,
    int cores,
    Map<String, Integer> cachesKiB,
    String memory,
    String os,
    String jdk,
    String heap,
    Map<String, String> versions) {

  private static final String UNKNOWN = "unknown";

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
    for (Map.Entry<String, Integer> cache : cachesKiB.entrySet()) {
      String name = cache.getKey();
      filled = filled.replace("{" + name + "}", size(cache.getValue()));
      filled = filled.replace("{keys in " + name + "}", keysIn(cache.getValue()));
    }
    return filled;
  }

  /** All of it, in a line. */
  String describe() {
    return "%s, %d cores, %s, %s, %s, %s, heap up to %s; %s"
        .formatted(cpu, cores, caches(), memory, os, jdk, heap, list(versions));
  }

  private static String list(Map<String, String> pairs) {
    return pairs.entrySet().stream()
        .map(pair -> pair.getKey() + " " + pair.getValue())
        .collect(Collectors.joining(", "));
  }

  private String caches() {
    return cachesKiB.entrySet().stream()
        .map(cache -> cache.getKey() + " " + size(cache.getValue()))
        .collect(Collectors.joining(", "));
  }

  private static String size(int kibibytes) {
    return kibibytes % 1024 == 0 ? kibibytes / 1024 + " MiB" : kibibytes + " KiB";
  }

  private static String keysIn(int kibibytes) {
    double bitsPerKey = Sizing.shape(Layout.BLOCKED, 1_000_000, 0.01).bits() / 1e6;
    long thousands = Math.round(kibibytes * 1024L * 8 / bitsPerKey / 1000);
    return String.format(Locale.ROOT, "%,d keys", thousands * 1000);
  }

  private static String readCpu() {
    return firstMatch(Path.of("/proc/cpuinfo"), Pattern.compile("model name\\s*:\\s*(.+)"));
  }

  private static String readMemory() {
    String kibibytes =
        firstMatch(Path.of("/proc/meminfo"), Pattern.compile("MemTotal:\\s*(\\d+) kB"));
    return kibibytes.equals(UNKNOWN)
        ? kibibytes
        : Math.round(Long.parseLong(kibibytes) / 1048576.0) + " GiB";
  }

  private static Map<String, Integer> readCaches() {
    Map<String, Integer> caches = new TreeMap<>();
    for (int i = 0; i < 8; i++) {
      Path cache = Path.of("/sys/devices/system/cpu/cpu0/cache/index" + i);
      String type = firstMatch(cache.resolve("type"), Pattern.compile("(\\w+)"));
      String size = firstMatch(cache.resolve("size"), Pattern.compile("(\\d+)K"));
      if (!type.equals("Instruction") && !size.equals(UNKNOWN)) {
        String level = firstMatch(cache.resolve("level"), Pattern.compile("(\\d)"));
        caches.put("L" + level, Integer.valueOf(size));
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
      return UNKNOWN;
    }
    return lines.stream()
        .map(pattern::matcher)
        .filter(Matcher::find)
        .map(match -> match.group(1).strip())
        .findFirst()
        .orElse(UNKNOWN);
  }
}

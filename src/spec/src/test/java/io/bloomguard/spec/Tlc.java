package io.bloomguard.spec;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tlc2.TLC;

/**
 * A run of TLC, the model checker of TLA+, over a specification: its module, the configuration
 * beside it, and the constants that differ from those of the configuration. Each run has a JVM of
 * its own, because TLC keeps static state, and one worker, so that its numbers are the same in
 * every run.
 */
record Tlc(
    Path module, Map<String, String> constants, String only, List<String> options, long minutes) {

  private static final Pattern STATES =
      Pattern.compile("(\\d+) states generated, (\\d+) distinct states found");
  private static final Pattern DEPTH =
      Pattern.compile("The depth of the complete state graph search is (\\d+)");
  private static final Pattern VIOLATED =
      Pattern.compile("Error: (?:Invariant|Action property) (.+?) is violated");
  private static final Pattern STATE = Pattern.compile("(?m)^State (\\d+):");
  private static final Pattern SIMULATED = Pattern.compile("Progress: ([\\d,]+) states checked");

  static Tlc of(Path module) {
    return new Tlc(module, Map.of(), "", List.of(), 0);
  }

  Tlc with(Map<String, String> more) {
    Map<String, String> all = new LinkedHashMap<>(constants);
    all.putAll(more);
    return new Tlc(module, all, only, options, minutes);
  }

  Tlc options(String... more) {
    List<String> all = new ArrayList<>(options);
    all.addAll(List.of(more));
    return new Tlc(module, constants, only, all, minutes);
  }

  /** One invariant in place of all, where the name is not empty: a mistake may violate several. */
  Tlc checking(String invariant) {
    return new Tlc(module, constants, invariant, options, minutes);
  }

  /** Random behaviours for so long in place of all states. */
  Tlc simulated(long forMinutes) {
    return new Tlc(module, constants, only, List.of("-simulate", "-depth", "200"), forMinutes);
  }

  /**
   * What TLC found.
   *
   * @param violated the invariant or property that does not hold, "deadlock", or empty where all
   *     hold
   * @param states how many distinct states there are, or were until something did not hold
   * @param depth the length of the longest of the shortest ways to a state, or that of the
   *     counterexample
   */
  record Outcome(String violated, long states, int depth, long millis, String output) {

    @Override
    public String toString() {
      return "%s, %,d states, %d steps, %.1f s"
          .formatted(violated.isEmpty() ? "holds" : violated, states, depth, millis / 1000.0);
    }
  }

  /** Runs to the end; an error that is not a violation is an {@link IllegalStateException}. */
  Outcome run() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("tlc");
    try {
      return run(folder);
    } finally {
      delete(folder);
    }
  }

  private Outcome run(Path folder) throws IOException, InterruptedException {
    Files.writeString(folder.resolve("Run.cfg"), configuration());
    Files.writeString(folder.resolve("Run.tla"), extension());
    Path output = folder.resolve("output");
    long begin = System.nanoTime();
    Process process =
        new ProcessBuilder(command(folder))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    // A simulation tells its progress once a minute.
    long seconds = minutes * 60 + 10;
    boolean ended;
    try {
      ended = process.waitFor(minutes == 0 ? Long.MAX_VALUE : seconds, TimeUnit.SECONDS);
    } finally {
      process.destroyForcibly().waitFor();
    }
    long millis = (System.nanoTime() - begin) / 1_000_000;
    return outcome(ended ? process.exitValue() : 0, Files.readString(output), millis);
  }

  private List<String> command(Path folder) {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    List<String> command = new ArrayList<>(List.of(java, "-Xmx1g", "-XX:+UseSerialGC"));
    command.addAll(List.of("-XX:MaxDirectMemorySize=256m", "-Djava.io.tmpdir=" + folder));
    if (minutes == 0) {
      // The second compiler takes more than it gives back in seconds.
      command.add("-XX:TieredStopAtLevel=1");
    }
    command.add("-DTLA-Library=" + module.toAbsolutePath().getParent());
    command.addAll(List.of("-cp", classPath(), "tlc2.TLC", "-workers", "1", "-checkpoint", "0"));
    command.addAll(List.of("-fpmem", "0.05", "-fp", "0", "-seed", "1"));
    command.addAll(List.of("-metadir", folder.resolve("states").toString()));
    command.addAll(options);
    command.add(folder.resolve("Run.tla").toString());
    return command;
  }

  /** Of all that the tests have, TLC alone. */
  private static String classPath() {
    try {
      URI jar = TLC.class.getProtectionDomain().getCodeSource().getLocation().toURI();
      return Path.of(jar).toString();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The configuration beside the module with this run's constants in place of its own. */
  private String configuration() throws IOException {
    String text = Files.readString(module.resolveSibling(name() + ".cfg"));
    for (Map.Entry<String, String> constant : constants.entrySet()) {
      String key = constant.getKey();
      if (key.equals("PROPERTIES")) {
        text += "PROPERTIES " + constant.getValue() + "\n";
        continue;
      }
      Matcher line = Pattern.compile("(?m)^( *" + key + ") *(?:=|<-) .*$").matcher(text);
      if (!line.find()) {
        throw new IllegalArgumentException(name() + ".cfg has no constant " + key);
      }
      String value = defined(constant) ? " <- Run" + key : " = " + constant.getValue();
      text = line.replaceFirst("$1" + Matcher.quoteReplacement(value));
    }
    return only.isEmpty()
        ? text
        : text.replaceFirst("(?m)^INVARIANTS\\n(?:  \\w+\\n)*", "INVARIANTS\n  " + only + "\n");
  }

  /** A module that defines the constants for which a configuration has no syntax. */
  private String extension() {
    StringBuilder text = new StringBuilder("---- MODULE Run ----\nEXTENDS " + name() + "\n");
    for (Map.Entry<String, String> constant : constants.entrySet()) {
      if (defined(constant)) {
        text.append("Run").append(constant.getKey()).append(" == ").append(constant.getValue());
        text.append('\n');
      }
    }
    return text.append("====\n").toString();
  }

  private static boolean defined(Map.Entry<String, String> constant) {
    return constant.getValue().startsWith("<<") || constant.getValue().startsWith("[");
  }

  private String name() {
    return module.getFileName().toString().replaceFirst("\\.tla$", "");
  }

  private Outcome outcome(int exit, String output, long millis) {
    Matcher violated = VIOLATED.matcher(output);
    String what;
    if (violated.find()) {
      what = violated.group(1);
    } else if (output.contains("Error: Deadlock reached")) {
      what = "deadlock";
    } else if (output.contains("Error: Temporal properties were violated")) {
      what = "temporal";
    } else if (exit == 0 && !output.contains("Error:")) {
      what = "";
    } else {
      throw new IllegalStateException(
          name() + " with " + constants + ": TLC ends with " + exit + "\n" + output);
    }
    return new Outcome(what, states(output), depth(output, what), millis, output);
  }

  private static long states(String output) {
    Matcher states = STATES.matcher(output);
    long count = 0;
    while (states.find()) {
      count = Long.parseLong(states.group(2));
    }
    Matcher simulated = SIMULATED.matcher(output);
    while (simulated.find()) {
      count = Long.parseLong(simulated.group(1).replace(",", ""));
    }
    return count;
  }

  private static int depth(String output, String violated) {
    Matcher matcher = (violated.isEmpty() ? DEPTH : STATE).matcher(output);
    int depth = 0;
    while (matcher.find()) {
      depth = Math.max(depth, Integer.parseInt(matcher.group(1)));
    }
    // The first state is there before any step.
    return Math.max(0, depth - 1);
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}

package io.bloomguard.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The page of kept results, written anew as a whole: {@code README.md} and its plots. */
final class Page {

  private static final String INTRODUCTION =
      """
      # Benchmarks

      This page is written by the command that measures; edit `src/bench`, not it.

          mvn -Pbench verify                                   # all, and this page: about 50 minutes
          mvn -Pbench verify -Dbench.only=StringCheck          # the classes with that in their name
          mvn -Pbench verify -Dbench.short=true                # sees that everything runs, measures nothing

      Every run measures Bloomguard and its peers side by side, on one machine, with nothing beyond
      loopback. Figures are medians; `ratio` is a contestant's median over `bloomguard`'s in the same
      circumstances (for a throughput its inverse), so above 1 it is that many times more expensive. `bytes`
      is the allocation of one operation. The time of several threads is that of one of them for one
      operation, so their throughput is their number divided by it. `results.json` has the same for machines.

      """;

  /** Longer tables are folded. */
  private static final int LONG_TABLE = 16;

  private Page() {}

  static void write(Path directory, Collection<SuiteResult> results) throws IOException {
    List<SuiteResult> sections =
        results.stream()
            .sorted(
                Comparator.comparingInt(
                        (SuiteResult r) -> suite(r) == null ? 100 : suite(r).order())
                    .thenComparing(SuiteResult::name))
            .toList();
    StringBuilder page = new StringBuilder(INTRODUCTION);
    Machine common = sections.get(0).machine();
    page.append("## Machine and versions\n\n").append(describe(common));
    for (SuiteResult section : sections) {
      section(page, directory, section);
      if (!section.machine().equals(common)) {
        page.append("\nMeasured on another machine or with other versions:\n\n");
        page.append(describe(section.machine()));
      }
    }
    Files.writeString(directory.resolve("README.md"), page);
  }

  private static void section(StringBuilder page, Path directory, SuiteResult result)
      throws IOException {
    Suite suite = suite(result);
    page.append("\n## ").append(suite == null ? result.name() : suite.title()).append("\n\n");
    if (suite != null) {
      page.append(result.machine().fillIn(suite.text())).append('\n');
      for (int i = 0; i < suite.plots().length; i++) {
        String file = result.name() + "-" + (i + 1);
        if (Plots.draw(result, suite.plots()[i], directory.resolve(file + ".svg"))) {
          page.append("![%s](%s.svg)\n\n".formatted(suite.plots()[i].title(), file));
        }
      }
    }
    page.append('`').append(result.command()).append("`\n\n");
    boolean folded = result.rows().size() > LONG_TABLE;
    page.append(folded ? "<details><summary>All figures</summary>\n\n" : "");
    page.append(TextTable.of(result));
    page.append(folded ? "\n</details>\n" : "");
  }

  private static String describe(Machine machine) {
    return """
        | | |
        |---|---|
        | processor | %s, %d cores |
        | caches | %s |
        | memory | %s |
        | system | %s |
        | JVM | %s, heap up to %s |
        | versions | %s |
        """
        .formatted(
            machine.cpu(),
            machine.cores(),
            machine.caches(),
            machine.memory(),
            machine.os(),
            machine.jdk(),
            machine.heap(),
            list(machine.versions()));
  }

  private static String list(Map<String, String> pairs) {
    return pairs.entrySet().stream()
        .map(pair -> pair.getKey() + " " + pair.getValue())
        .collect(Collectors.joining(", "));
  }

  /** Whether the class of a kept result is still there. */
  static boolean exists(SuiteResult result) {
    try {
      return classOf(result) != null;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  private static Suite suite(SuiteResult result) {
    try {
      return classOf(result).getAnnotation(Suite.class);
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException("There is no suite " + result.name(), e);
    }
  }

  private static Class<?> classOf(SuiteResult result) throws ClassNotFoundException {
    return Class.forName(Page.class.getPackageName() + "." + result.name());
  }
}

package io.bloomguard.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The short page of kept results, written anew as a whole: {@code README.md} and the plots. The
 * site makes a page of all figures from {@code results.json}.
 */
final class Page {

  private static final String INTRODUCTION =
      """
      # Benchmarks

      The figures that matter most. [All of them](results.json), with what exactly was measured, are a page of [the site](../../CONTRIBUTING.md#site)
      and `results.json` for machines. The command that measures writes both and this page; edit `src/bench`, not it.

          mvn -Pbench verify                                   # all: about two hours
          mvn -Pbench verify -Dbench.only=StringCheck          # the classes with that in their name
          mvn -Pbench verify -Dbench.short=true                # sees that everything runs, measures nothing

      **How to read them.** Every run measures Bloomguard and its peers side by side, on one machine, with nothing beyond loopback: read
      ratios, not times. Figures are medians. `ratio` is a contestant's median over `bloomguard`'s in the same circumstances (for a throughput its
      inverse), so above 1 it is that many times more expensive. `bytes` is the allocation of one operation. The time of several threads is that of
      one of them for one operation, so their throughput is their number divided by it. The site says with each what a contestant cannot do: fastfilter's
      filters, for one, take numbers alone, and none may be written while it is read.

      """;

  private Page() {}

  /** Writes the page of results, which come in their order on it. */
  static void write(Path directory, List<SuiteResult> results) throws IOException {
    List<Machine> machines = results.stream().map(SuiteResult::machine).distinct().toList();
    StringBuilder page = new StringBuilder(INTRODUCTION);
    page.append("## Machines and versions\n\n");
    machines.forEach(machine -> page.append("1. ").append(machine.describe()).append('\n'));
    for (SuiteResult result : results) {
      boolean drawn = draw(result, directory);
      if (result.suite().columns().length > 0) {
        section(page, result, drawn, measuredOn(result, machines));
      }
    }
    glance(page, results, machines);
    page.append("\n## On the site alone\n\n");
    page.append(
        results.stream()
            .map(SuiteResult::suite)
            .filter(suite -> suite.brief().isEmpty())
            .map(Suite::title)
            .collect(Collectors.joining("; ", "", ".\n")));
    Files.writeString(directory.resolve("README.md"), page);
  }

  /** Draws the plots; returns whether the first one is there. */
  private static boolean draw(SuiteResult result, Path directory) throws IOException {
    boolean drawn = false;
    Suite.Plot[] plots = result.suite().plots();
    for (int i = plots.length - 1; i >= 0; i--) {
      drawn = Plots.draw(result, plots[i], directory.resolve(result.plotFile(i)));
    }
    return drawn;
  }

  private static void section(
      StringBuilder page, SuiteResult result, boolean drawn, String measuredOn) {
    Suite suite = result.suite();
    page.append("\n## ").append(suite.title()).append("\n\n").append(suite.brief()).append('\n');
    if (drawn) {
      page.append("![%s](%s)\n\n".formatted(suite.plots()[0].title(), result.plotFile(0)));
    }
    page.append("`%s`, on machine %s\n\n".formatted(result.command(), measuredOn));
    page.append(TextTable.of(List.of(suite.columns()), result.where(suite.shown())));
  }

  /** A line for each suite that shows a race: ours, and the others as ratios to it. */
  private static void glance(
      StringBuilder page, List<SuiteResult> results, List<Machine> machines) {
    page.append("\n## Checks, batches and builds\n\n");
    page.append("| | machine | `bloomguard` | others |\n|---|--:|--:|---|\n");
    for (SuiteResult result : results) {
      Suite suite = result.suite();
      List<Map<String, Object>> race = result.where(suite.shown());
      if (!suite.brief().isEmpty() && suite.columns().length == 0 && !race.isEmpty()) {
        page.append(
            "| %s: %s | %s | %s %s | %s |\n"
                .formatted(
                    suite.title(),
                    suite.brief(),
                    measuredOn(result, machines),
                    TextTable.cell("median", race.get(0).get("median")),
                    race.get(0).get("unit"),
                    race.stream().skip(1).map(Page::ratio).collect(Collectors.joining(", "))));
      }
    }
  }

  private static String ratio(Map<String, Object> row) {
    return row.get("contestant") + " " + TextTable.cell("ratio", row.get("ratio"));
  }

  private static String measuredOn(SuiteResult result, List<Machine> machines) {
    return String.valueOf(machines.indexOf(result.machine()) + 1);
  }
}

package io.bloomguard.spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A row of a specification's table of runs, the page of Markdown beside its module.
 *
 * @param section the heading above its table
 * @param constants those that differ from the ones of the configuration
 * @param finds the invariant or property that TLC finds violated; empty where all hold
 * @param form the tests that have it
 */
record Run(String section, String name, Map<String, String> constants, String finds, Form form) {

  /** Of a run under this heading the name is the value of the constant {@code Mistake}. */
  static final String MISTAKES = "Mistakes";

  /** A run under this heading is of random behaviours, with more accidents than can be explored. */
  static final String SIMULATION = "Simulation";

  /** Which tests have it. */
  enum Form {
    BUILD,
    LONG,
    SPEC
  }

  @Override
  public String toString() {
    return name;
  }

  /**
   * All rows of four cells: a name; constants, separated by semicolons, or the name of an earlier
   * run that has the same; what is found; the form. A fifth cell is for readers.
   */
  static List<Run> of(Path page) throws IOException {
    Map<String, Run> runs = new LinkedHashMap<>();
    String section = "";
    for (String line : Files.readAllLines(page)) {
      if (line.startsWith("## ")) {
        section = line.substring(3).strip();
      }
      String[] cells = line.split("\\|", -1);
      if ((cells.length == 6 || cells.length == 7)
          && !cells[1].isBlank()
          && !cells[1].matches(" run |-+")) {
        Run run = row(section, cells, runs);
        if (runs.put(run.name, run) != null) {
          throw new IllegalArgumentException(page + ": two runs are named " + run.name);
        }
      }
    }
    return List.copyOf(runs.values());
  }

  private static Run row(String section, String[] cells, Map<String, Run> earlier) {
    String name = cells[1].strip();
    Map<String, String> constants = new LinkedHashMap<>();
    for (String item : cells[2].replace("`", "").split(";")) {
      String[] parts = item.strip().split(" *= *", 2);
      if (parts.length == 2) {
        constants.put(parts[0], parts[1]);
      } else if (!parts[0].isEmpty()) {
        constants.putAll(earlier.get(parts[0]).constants);
      }
    }
    if (section.equals(MISTAKES)) {
      constants.put("Mistake", '"' + name + '"');
    }
    String form = cells[4].strip();
    return new Run(
        section,
        name,
        constants,
        cells[3].strip(),
        form.isEmpty() ? Form.LONG : Form.valueOf(form.toUpperCase(java.util.Locale.ROOT)));
  }
}

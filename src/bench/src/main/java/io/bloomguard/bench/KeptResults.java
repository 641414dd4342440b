package io.bloomguard.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The kept results of all suites: {@code results.json}, which the pages are made from. */
final class KeptResults {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private final Path file;
  private final Map<String, SuiteResult> suites = new TreeMap<>();

  private KeptResults(Path file) {
    this.file = file;
  }

  /** What is kept in a directory, nothing at first. */
  static KeptResults in(Path directory) {
    KeptResults results = new KeptResults(directory.resolve("results.json"));
    if (Files.exists(results.file)) {
      for (SuiteResult suite : JSON.readValue(results.file, SuiteResult[].class)) {
        if (suite.exists()) {
          results.suites.put(suite.name(), suite);
        }
      }
    }
    return results;
  }

  /** Puts a suite's results in the place of those of its last run, and writes file and page. */
  void keep(SuiteResult suite) throws IOException {
    suites.put(suite.name(), suite);
    write();
  }

  /** The results of a suite, if it has ever run. */
  Optional<SuiteResult> of(Class<?> suite) {
    return Optional.ofNullable(suites.get(suite.getSimpleName()));
  }

  /** Writes file and page, where anything is known. */
  void write() throws IOException {
    if (suites.isEmpty()) {
      return;
    }
    Files.createDirectories(file.getParent());
    List<SuiteResult> ordered =
        suites.values().stream()
            .sorted(Comparator.comparingInt(result -> result.suite().order()))
            .toList();
    JSON.writeValue(file, ordered.stream().map(Entry::of).toList());
    Page.write(file.getParent(), ordered);
  }

  /** A suite as the file has it: what it found, and for the site what it measures. */
  private record Entry(
      String name,
      String title,
      String text,
      List<String> plots,
      String command,
      Machine machine,
      List<Map<String, Object>> rows) {

    static Entry of(SuiteResult result) {
      Suite suite = result.suite();
      return new Entry(
          result.name(),
          suite.title(),
          result.machine().fillIn(suite.text()),
          Arrays.stream(suite.plots()).map(Suite.Plot::title).toList(),
          result.command(),
          result.machine(),
          result.rows());
    }
  }
}

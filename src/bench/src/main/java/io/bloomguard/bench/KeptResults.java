package io.bloomguard.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The kept results of all suites: {@code results.json}, which the page is made from. */
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
        if (Page.exists(suite)) {
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
    JSON.writeValue(file, suites.values());
    Page.write(file.getParent(), suites.values());
  }
}

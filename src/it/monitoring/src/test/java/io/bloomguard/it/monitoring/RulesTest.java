package io.bloomguard.it.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.support.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The files for Prometheus, as its own tool judges them. */
class RulesTest {

  private static final Path CONFIG = Path.of(System.getProperty("it.config"), "prometheus");
  private static final Path RUNBOOKS = Path.of(System.getProperty("it.docs"), "runbooks");

  @Test
  void prometheusTakesTheConfigurationWithItsRules() throws Exception {
    succeeds("check", "config", "prometheus.yml");
    succeeds("check", "rules", "recording-rules.yml", "alerts.yml");
  }

  @Test
  void everyRuleDoesWhatItsTestsSay() throws Exception {
    try (Stream<Path> tests = Files.list(CONFIG.resolve("tests"))) {
      succeeds(
          Stream.concat(
                  Stream.of("test", "rules"),
                  tests.map(file -> CONFIG.relativize(file).toString()).sorted())
              .toArray(String[]::new));
    }
  }

  @Test
  void everyAlertIsTestedAndHasItsRunbookAndNoOtherHasOne() throws Exception {
    String alerts = Files.readString(CONFIG.resolve("alerts.yml"));
    List<String> names = all("- alert: (\\w+)", alerts);
    assertThat(names).hasSizeGreaterThanOrEqualTo(9);
    assertThat(all("runbook_url: docs/runbooks/(\\w+)\\.md", alerts)).isEqualTo(names);
    assertThat(all("severity: (critical|warning)", alerts)).hasSameSizeAs(names);
    StringBuilder tests = new StringBuilder();
    try (Stream<Path> files = Files.list(CONFIG.resolve("tests"))) {
      for (Path file : files.toList()) {
        tests.append(Files.readString(file));
      }
    }
    assertThat(all("exp_annotations:[\\s\\S]*?docs/runbooks/(\\w+)\\.md", tests))
        .containsAll(names);
    try (Stream<Path> pages = Files.list(RUNBOOKS)) {
      assertThat(pages.map(page -> page.getFileName().toString().replace(".md", "")))
          .containsExactlyInAnyOrderElementsOf(names);
    }
  }

  /** What is indented in a page is a query, unless it begins like a command. */
  @Test
  void everyRunbookHasItsPartsAndEveryQueryInItParses() throws Exception {
    StringBuilder rules = new StringBuilder("groups:\n- name: runbooks\n  rules:\n");
    try (Stream<Path> pages = Files.list(RUNBOOKS)) {
      for (Path page : pages.sorted().toList()) {
        String text = Files.readString(page);
        assertThat(text)
            .as(page.toString())
            .containsSubsequence(
                "**What it means.**", "**What it costs.**", "## Look", "## Do", "## Over when");
        for (String query : all("(?m)^ {4,}(?!curl|redis-cli|select|where|#)(\\S.*)$", text)) {
          rules.append("  - record: query\n    expr: >-\n      ").append(query).append('\n');
          rules.append("    labels: {n: '").append(rules.length()).append("'}\n");
        }
      }
    }
    assertThat(rules).hasSizeGreaterThan(1_000);
    Path file = Files.createTempFile("runbooks", ".yml");
    Files.writeString(file, rules);
    succeeds("check", "rules", file.toString());
    Files.delete(file);
  }

  private static void succeeds(String... arguments) throws Exception {
    Program.Ended ended = Required.program("promtool", "prometheus").run(CONFIG, arguments);
    assertThat(ended.status()).as(ended.output()).isZero();
  }

  private static List<String> all(String pattern, CharSequence text) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map((MatchResult found) -> found.group(1))
        .toList();
  }
}

package io.bloomguard.console.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.internal.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What names each outcome by hand names all of them. */
class OutcomeNamesTest {

  @ParameterizedTest
  @EnumSource
  void theDocumentTellsItsMeaning(Outcome outcome) throws IOException {
    String document = Files.readString(Path.of("docs/metrics.md"));
    String table = document.substring(document.indexOf("## Outcomes"));
    assertThat(table.substring(0, table.indexOf("\n## ")))
        .containsPattern("(?m)^\\|[^|]*`" + outcome.tag() + "`");
  }

  @ParameterizedTest
  @EnumSource
  void theConsoleHasALineForItInBothThemes(Outcome outcome) throws IOException {
    assertThat(page("console.css").split("--line-" + outcome.tag() + ":", -1)).hasSize(3);
    String dashes =
        page("charts.js").lines().filter(line -> line.startsWith("const DASHES")).findAny().get();
    assertThat(Pattern.compile("\\[[\\d, ]*]").matcher(dashes).results().count())
        .as("dashes, of which each has its own")
        .isGreaterThan(outcome.ordinal());
  }

  private static String page(String name) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(OutcomeNamesTest.class.getResourceAsStream("page/" + name))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}

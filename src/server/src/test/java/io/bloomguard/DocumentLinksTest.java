package io.bloomguard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The links of README and docs to files of the repository, and to their headings. */
class DocumentLinksTest {

  private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```$|`[^`\n]*`");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.+)$");

  @Test
  void everyLinkLeadsSomewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : pages()) {
      for (MatchResult link : LINK.matcher(text(page)).results().toList()) {
        if (!link.group(1).contains("://") && !leadsSomewhere(page, link.group(1))) {
          broken.add(page + ": " + link.group(1));
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void everyDecisionIsListed() throws IOException {
    Path decisions = Path.of("docs/decisions");
    String list = Files.readString(decisions.resolve("README.md"));
    try (Stream<Path> files = Files.list(decisions)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .filteredOn(name -> !name.equals("README.md"))
          .allSatisfy(name -> assertThat(list).contains("](" + name + "): "));
    }
  }

  private static boolean leadsSomewhere(Path page, String link) throws IOException {
    int hash = link.indexOf('#');
    String file = hash < 0 ? link : link.substring(0, hash);
    Path target = file.isEmpty() ? page : page.resolveSibling(file).normalize();
    return Files.exists(target)
        && (hash < 0
            || HEADING
                .matcher(Files.readString(target))
                .results()
                .anyMatch(heading -> anchor(heading.group(1)).equals(link.substring(hash + 1))));
  }

  /** What Markdown renderers make of a heading. */
  private static String anchor(String heading) {
    return heading
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{M}\\p{N}_ -]", "")
        .replace(' ', '-');
  }

  private static List<Path> pages() throws IOException {
    try (Stream<Path> docs = Files.walk(Path.of("docs"))) {
      return Stream.concat(
              Stream.of(
                      "README",
                      "README.zh-CN",
                      "CONTRIBUTING",
                      "CHANGELOG",
                      "SECURITY",
                      "CODE_OF_CONDUCT")
                  .map(name -> Path.of(name + ".md")),
              docs.filter(file -> file.toString().endsWith(".md")))
          .toList();
    }
  }

  private static String text(Path page) throws IOException {
    return CODE.matcher(Files.readString(page)).replaceAll("");
  }
}

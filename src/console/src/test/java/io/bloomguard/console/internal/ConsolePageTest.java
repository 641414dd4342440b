package io.bloomguard.console.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.ResponseEntity;

/** The files of the page: what they are served with, and that they are enough. */
class ConsolePageTest {

  /** What makes a browser load something: in a page, in a style, in a script. */
  private static final Pattern LOADED =
      Pattern.compile(
          "(?:src|href|action)=\"([^\"]*)\"|url\\(\\s*[\"']?([^\"')]{0,20})|@import\\s*([^;]*)"
              + "|\\bfrom\\s*'([^']*)'|\\bimport\\s*\\(([^)]*)\\)|\\bnew (?:WebSocket|EventSource)(\\()");

  /** What it imports at run time: a panel's script, by a name of words and dashes. */
  private static final String PANELS = "`./panels/${name}.js`";

  private final ConsolePage page = new ConsolePage(ConsolePanelTest.console());

  static List<String> files() {
    return ConsolePage.NAMES;
  }

  @ParameterizedTest
  @MethodSource("files")
  void everyFileComesWithThePolicyAndATypeThatIsNotGuessed(String name) {
    ResponseEntity<byte[]> answer = get(name);
    assertThat(answer.getStatusCode().value()).isEqualTo(200);
    assertThat(answer.getBody()).isNotEmpty();
    assertThat(answer.getHeaders().getContentType()).isNotNull();
    assertThat(answer.getHeaders().getETag()).isNotEmpty();
    assertThat(answer.getHeaders().getFirst("X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(answer.getHeaders().getFirst("Content-Security-Policy"))
        .contains("default-src 'none'", "script-src 'self'", "style-src 'self'")
        .contains("connect-src 'self'", "frame-ancestors 'none'")
        .doesNotContain("unsafe", "*", "http");
  }

  @ParameterizedTest
  @MethodSource("files")
  void noFileNeedsTheNetwork(String name) {
    List<String> loaded =
        LOADED
            .matcher(new String(get(name).getBody(), UTF_8))
            .results()
            .map(ConsolePageTest::target)
            .filter(target -> !target.startsWith("data:") && !target.startsWith("#"))
            .filter(target -> !(name.equals("main.js") && target.equals(PANELS)))
            .toList();
    assertThat(loaded)
        .allSatisfy(
            target -> {
              String file = target.startsWith("./") ? target.substring(2) : target;
              assertThat(ConsolePage.NAMES).contains(file);
            });
    if (name.equals("index.html") || name.equals("main.js")) {
      assertThat(loaded).hasSizeGreaterThan(5);
    }
  }

  @Test
  void thePageHasNoScriptOrStyleInIt() {
    String index = new String(get("index.html").getBody(), UTF_8);
    assertThat(index)
        .doesNotContainPattern("<script(?![^>]*\\ssrc=)")
        .doesNotContainPattern("<style|\\sstyle=|\\son[a-z]+=|javascript:");
  }

  @Test
  void everyFileThatIsThereIsServed() throws Exception {
    Path root = Path.of(ConsolePage.class.getResource("page/index.html").toURI()).getParent();
    try (Stream<Path> files = Files.walk(root)) {
      assertThat(
              files
                  .filter(Files::isRegularFile)
                  .map(file -> root.relativize(file).toString().replace('\\', '/')))
          .containsExactlyInAnyOrderElementsOf(ConsolePage.NAMES);
    }
  }

  @Test
  void whatIsNotOfThePageIsNotThere() {
    for (String name : List.of("other.js", "..", "package-info.class", "pico/../main.js", "a/b")) {
      assertThat(get(name).getStatusCode().value()).as(name).isEqualTo(404);
    }
  }

  @Test
  void partsOfOthersComeWithTheirLicences() {
    assertThat(text("pico/LICENSE.md")).contains("MIT License", "Pico");
    assertThat(text("uplot/LICENSE")).contains("The MIT License", "Leon Sorokin");
    assertThat(text("pico/pico.min.css")).contains("v2.1.1");
    assertThat(text("uplot/uPlot.iife.min.js")).contains("v1.6.32");
    assertThat(text("index.html")).contains("Pico.css 2.1.1", "uPlot 1.6.32");
  }

  private ResponseEntity<byte[]> get(String name) {
    int slash = name.indexOf('/');
    return slash < 0
        ? page.file(name)
        : page.file(name.substring(0, slash), name.substring(slash + 1));
  }

  private static String text(String name) {
    try (InputStream in = ConsolePage.class.getResourceAsStream("page/" + name)) {
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The group that matched. */
  private static String target(MatchResult match) {
    for (int group = 1; group <= match.groupCount(); group++) {
      if (match.group(group) != null) {
        return match.group(group);
      }
    }
    throw new AssertionError(match.group());
  }
}

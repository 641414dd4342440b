package io.bloomguard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Code in the documentation equals files that a build compiles and runs.
 *
 * <p>A comment before a block names them: {@code <!-- code: FILE FILE#TAG -->}. Of a file with a
 * tag, it is what stands between the lines {@code tag::TAG[]} and {@code end::TAG[]}; of another,
 * all but its package and imports. White space does not count.
 */
class DocumentedCodeTest {

  private static final List<Path> RECIPES =
      List.of(Path.of("docs/recipes.md"), Path.of("docs/zh/recipes.md"));
  private static final List<Path> READMES =
      List.of(Path.of("README.md"), Path.of("README.zh-CN.md"));

  private static final Pattern BLOCK =
      Pattern.compile(
          "^(?:<!-- code: (?<files>[^>]*) -->\\n)?```(?<language>java|kotlin|yaml|php|ts|go|python|nginx)\\n(?<code>.*?)^```$",
          Pattern.MULTILINE | Pattern.DOTALL);

  /** A block of code, and the files that it is in. */
  record Block(Path page, List<String> files, String code) {

    @Override
    public String toString() {
      return page + ": " + (files.isEmpty() ? code.lines().findFirst().orElse("") : files);
    }
  }

  static List<Block> recipes() {
    return RECIPES.stream().flatMap(page -> blocks(page).stream()).toList();
  }

  static List<Block> named() throws IOException {
    try (Stream<Path> pages = Files.walk(Path.of("docs"))) {
      return Stream.concat(READMES.stream(), pages.filter(page -> page.toString().endsWith(".md")))
          .flatMap(page -> blocks(page).stream())
          .filter(block -> !block.files().isEmpty())
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("named")
  void aBlockEqualsItsFiles(Block block) {
    String expected =
        block.files().stream().map(DocumentedCodeTest::text).collect(Collectors.joining(" "));
    assertThat(spaced(block.code())).isEqualTo(spaced(expected));
  }

  @ParameterizedTest
  @MethodSource("recipes")
  void everyBlockOfARecipeHasAFile(Block block) {
    assertThat(block.files()).isNotEmpty();
  }

  @Test
  void theExamplesOfTheReadmesHaveFiles() throws IOException {
    assertThat(named()).extracting(Block::page).containsAll(READMES);
  }

  private static List<Block> blocks(Path page) {
    List<Block> blocks = new ArrayList<>();
    Matcher found = BLOCK.matcher(read(page));
    while (found.find()) {
      String files = found.group("files");
      blocks.add(
          new Block(
              page, files == null ? List.of() : List.of(files.split(" ")), found.group("code")));
    }
    return blocks;
  }

  private static String text(String name) {
    String[] parts = name.split("#", 2);
    List<String> lines = read(Path.of(parts[0])).lines().toList();
    if (parts.length == 1) {
      return lines.stream()
          .filter(line -> !line.startsWith("package ") && !line.startsWith("import "))
          .collect(Collectors.joining("\n"));
    }
    List<String> tagged = new ArrayList<>();
    boolean inside = false;
    for (String line : lines) {
      if (line.contains("tag::" + parts[1] + "[]")) {
        inside = true;
      } else if (line.contains("end::" + parts[1] + "[]")) {
        inside = false;
      } else if (inside) {
        tagged.add(line);
      }
    }
    assertThat(tagged).as(name).isNotEmpty();
    return String.join("\n", tagged);
  }

  private static String spaced(String code) {
    return code.replaceAll("\\s+", " ").strip();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

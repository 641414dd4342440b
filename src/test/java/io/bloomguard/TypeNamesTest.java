package io.bloomguard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The names of top-level types in the library, the server, their tests and their benchmarks. */
class TypeNamesTest {

  private static final List<Path> ROOTS =
      List.of(Path.of("src/main/java"), Path.of("src/test/java"), Path.of("src/bench/java"));

  @Test
  void noNameIsTakenTwice() throws IOException {
    Map<String, TreeSet<Path>> types = new TreeMap<>();
    for (Path root : ROOTS) {
      try (Stream<Path> files = Files.walk(root)) {
        files
            .filter(
                file -> file.toString().endsWith(".java") && !file.endsWith("package-info.java"))
            .forEach(
                file ->
                    types
                        .computeIfAbsent(file.getFileName().toString(), name -> new TreeSet<>())
                        .add(file));
      }
    }
    assertThat(types).hasSizeGreaterThan(ROOTS.size());
    assertThat(types.values()).allSatisfy(files -> assertThat(files).hasSize(1));
  }
}

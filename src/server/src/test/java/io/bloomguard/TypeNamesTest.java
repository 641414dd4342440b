package io.bloomguard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The names of top-level types in the library, the server, their tests and their benchmarks. */
class TypeNamesTest {

  @Test
  void noNameIsTakenTwice() throws IOException {
    Map<String, TreeSet<Path>> types = new TreeMap<>();
    List<Path> folders = new ArrayList<>(ModuleSources.main());
    folders.addAll(ModuleSources.tests());
    folders.add(Path.of("src/bench/src/main/java"));
    for (Path file : ModuleSources.files(folders)) {
      if (!file.endsWith("package-info.java")) {
        types.computeIfAbsent(file.getFileName().toString(), name -> new TreeSet<>()).add(file);
      }
    }
    assertThat(types).hasSizeGreaterThan(folders.size());
    assertThat(types.values()).allSatisfy(files -> assertThat(files).hasSize(1));
  }
}

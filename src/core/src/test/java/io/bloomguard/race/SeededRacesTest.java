package io.bloomguard.race;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.ModuleSources;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each interleaving test fails where the code has a race: a checker passes whatever it does not
 * instrument, or does not interleave finely enough.
 */
class SeededRacesTest {

  static List<SeededRace> races() throws IOException {
    return SeededRace.beside(SeededRacesTest.class);
  }

  @Test
  void everyInterleavingTestHasARace() throws IOException {
    assertThat(races())
        .extracting(SeededRace::test)
        .containsExactlyInAnyOrderElementsOf(tests().keySet());
  }

  @ParameterizedTest
  @MethodSource("races")
  void theTextOfARaceStandsInTheCode(SeededRace race) throws IOException {
    assertThat(race.source()).contains(race.changes().values());
  }

  /** In a process of its own, all of whose classes but the one are the usual. */
  @Tag("thorough")
  @Tag("long")
  @ParameterizedTest
  @MethodSource("races")
  void theTestFindsTheRace(SeededRace race, @TempDir Path folder) throws Exception {
    race.compileInto(folder);
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-Dtest.thorough=true",
                "-Drace.seeded=true",
                "-cp",
                folder + File.pathSeparator + SeededRace.classPath(),
                TestsThatMustFail.class.getName(),
                tests().get(race.test()))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor()).as("%s", Files.readString(output)).isZero();
    } finally {
      process.destroyForcibly();
    }
  }

  /** The interleaving tests by their simple names. */
  private static TreeMap<String, String> tests() throws IOException {
    TreeMap<String, String> tests = new TreeMap<>();
    for (Path folder : ModuleSources.tests()) {
      for (Path file : ModuleSources.files(List.of(folder))) {
        String name = folder.relativize(file).toString().replace(".java", "");
        if (name.endsWith("InterleavingTest")) {
          tests.put(name.replaceAll(".*/", ""), name.replace('/', '.'));
        }
      }
    }
    return tests;
  }
}

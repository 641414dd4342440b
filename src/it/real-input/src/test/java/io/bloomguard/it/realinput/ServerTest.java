package io.bloomguard.it.realinput;

import static java.util.Collections.frequency;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.support.Form;
import io.bloomguard.it.support.ServerProcess;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The executable jar on a real table, from configuration alone. */
@ExtendWith(RealParts.Provider.class)
class ServerTest {

  private static final int ABSENT = Form.of(40_000, 200_000);
  private static final double PROBABILITY = 0.01;

  @ParameterizedTest
  @ValueSource(strings = {"local", "redis"})
  void everyNameIsPossiblyPresentAndOtherNamesPassAtTheConfiguredRate(
      String backend, RealParts parts) throws Exception {
    List<String> real = parts.names();
    List<String> arguments = new ArrayList<>(parts.arguments(backend));
    arguments.addAll(configuration(real.size()));
    try (ServerProcess server = new ServerProcess(backend, arguments)) {
      FilterClient client = new FilterClient(server.address()).awaitReady();

      List<String> ofReal = client.check(real);
      List<String> ofAbsent = client.check(Names.absent(real, ABSENT, 42));

      int found = frequency(ofReal, "POSSIBLY_PRESENT");
      int passed = frequency(ofAbsent, "POSSIBLY_PRESENT");
      int bound =
          (int) (ABSENT * PROBABILITY + 3 * Math.sqrt(ABSENT * PROBABILITY * (1 - PROBABILITY)));
      System.out.printf(
          "RESULT server, %s: %d of %d names POSSIBLY_PRESENT; %d of %d absent names passed"
              + " (%.3f %%; p %.1f %%, bound %d)%n",
          backend,
          found,
          real.size(),
          passed,
          ABSENT,
          100.0 * passed / ABSENT,
          100 * PROBABILITY,
          bound);
      assertThat(client.status().get("backend").asString()).isEqualTo(backend);
      assertThat(found).isEqualTo(real.size());
      assertThat(frequency(ofAbsent, "UNKNOWN")).isZero();
      assertThat(passed).isPositive().isLessThanOrEqualTo(bound);
    }
  }

  /** The filter {@code packages}, as an operator configures it. */
  static List<String> configuration(int expectedInsertions) {
    String filter = "--bloomguard.filters.packages.";
    return List.of(
        filter + "expected-insertions=" + expectedInsertions,
        filter + "false-positive-probability=" + PROBABILITY,
        filter + "source.jdbc.query=select name from packages");
  }
}

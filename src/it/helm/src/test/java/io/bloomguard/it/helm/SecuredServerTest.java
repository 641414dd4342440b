package io.bloomguard.it.helm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.bloomguard.it.support.Program;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server as the chart starts it unless told otherwise: under its profile "secured". */
class SecuredServerTest {

  private static final String FILTERS = "/actuator/bloomfilters";

  @TempDir static Path directory;

  private static ChartServer server;

  @BeforeAll
  static void start() throws IOException {
    Manifests manifests = Chart.render(Chart.DIRECTORY.resolve("ci/secured-values.yaml"));
    server =
        new ChartServer(manifests, directory, Map.of("SPRING_SECURITY_USER_PASSWORD", "geheim"));
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  @Test
  void probesAndPrometheusNeedNoName() throws Exception {
    for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
      assertThat(server.probe(probe).statusCode()).isEqualTo(200);
    }
    assertThat(server.get(server.managementPort(), "/actuator/prometheus").statusCode())
        .isEqualTo(200);
  }

  @Test
  void theEndpointAndTheConsoleNeedTheOperator() throws Exception {
    for (String path : List.of(FILTERS, "/bloomguard/")) {
      int management = server.managementPort();
      assertThat(server.get(management, path).statusCode()).isEqualTo(401);
      assertThat(server.getAs("operator", "falsch", management, path).statusCode()).isEqualTo(401);
      assertThat(server.getAs("operator", "geheim", management, path).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void callersNeedANameToo() throws Exception {
    assertThat(server.get(server.port(), "/v1/sizing?insertions=1000&fpp=0.01").statusCode())
        .isEqualTo(401);
    assertThat(
            server
                .getAs("operator", "geheim", server.port(), "/v1/sizing?insertions=1000&fpp=0.01")
                .statusCode())
        .isEqualTo(200);
  }

  @Test
  void theChartsTestSeesThatItAnswers() throws Exception {
    assumeTrue(Program.find("wget").isPresent(), "wget is not installed");

    assertThat(server.chartsTest(1)).contains("HTTP/1.1 401", "RESULT 0");
  }
}

package io.bloomguard.server;

import static io.bloomguard.server.RunningServer.json;
import static io.bloomguard.server.RunningServer.problem;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The way out: with {@code bloomguard.enabled=false} the server runs and guards nothing. */
@ExtendWith(OutputCaptureExtension.class)
class DisabledServerTest {

  @Test
  void answersFromTheDatabaseAndHasNoFilters(CapturedOutput output) throws Exception {
    try (RunningServer server =
        new RunningServer(
            "bloomguard.enabled=false",
            "management.endpoint.health.group.readiness.include=readinessState,bloomguard")) {
      assertThat(output).contains("bloomguard.enabled is false");
      json(server.get("/api/products/42"), 200);
      problem(server.get("/api/products/0"), 404);
      json(server.get("/actuator/health/readiness"), 200);
      for (String call : new String[] {"check", "keys"}) {
        assertThat(problem(server.post("/v1/filters/products/" + call, "{\"keys\":[1]}"), 503))
            .contains("bloomguard.enabled");
      }
      assertThat(server.get("/actuator/bloomfilters").statusCode()).isEqualTo(404);
      assertThat(server.get("/bloomguard/").statusCode()).isEqualTo(404);
    }
  }
}

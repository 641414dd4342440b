package io.bloomguard.server;

import static io.bloomguard.server.RunningServer.json;
import static io.bloomguard.server.RunningServer.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of the profile {@code secured} where its paths are not at the root. */
class SecuredServletPathTest {

  private static final String WRITER =
      "Basic " + Base64.getEncoder().encodeToString("writer:secret".getBytes());

  @ParameterizedTest
  @ValueSource(strings = {"server.servlet.context-path=/shop", "spring.mvc.servlet.path=/shop"})
  void holdBelowAnyPath(String path) throws Exception {
    try (RunningServer server =
        new RunningServer(
            path,
            "spring.profiles.active=secured",
            "spring.security.user.name=writer",
            "spring.security.user.password=secret",
            "spring.security.user.roles=WRITER")) {
      json(server.get("/shop/api/products/42"), 200);
      json(server.get("/shop/actuator/health"), 200);
      for (String console : List.of("/shop/bloomguard/", "/shop/bloomguard/data")) {
        problem(server.get(console), 401);
        problem(server.send(as(server, console).build()), 403);
      }
      // Before a generation serves, no key is known to be new.
      HttpRequest filter = as(server, "/shop/actuator/bloomfilters/products").build();
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> json(server.send(filter), 200).path("state").asString().equals("READY"));
      HttpRequest.Builder added =
          as(server, "/shop/v1/filters/products/keys")
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString("{\"keys\":[999999999]}"));
      assertThat(json(server.send(added.build()), 200).path("added").asInt()).isEqualTo(1);
    }
  }

  private static HttpRequest.Builder as(RunningServer server, String path) {
    return server.request(path).header("Authorization", WRITER);
  }
}

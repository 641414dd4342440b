package io.bloomguard.server;

import static io.bloomguard.server.RunningServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.security.web.SecurityFilterChain;
import tools.jackson.databind.JsonNode;

/** Without the profile {@code secured}, Spring Security is on the class path and does nothing. */
class UnsecuredServerTest {

  private static final String SECURITY = "org.springframework.boot.security.";

  @Test
  void leavesOutWhateverSecuresAServlet() {
    Stream<String> excluded =
        Arrays.stream(BloomguardServer.class.getAnnotation(EnableAutoConfiguration.class).exclude())
            .map(Class::getName)
            .filter(name -> name.startsWith(SECURITY));
    assertThat(ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader()))
        .filteredOn(name -> name.startsWith(SECURITY))
        .filteredOn(name -> !name.contains(".reactive.") && !name.contains(".rsocket."))
        .filteredOn(name -> !name.contains(".Reactive"))
        .isNotEmpty()
        .containsExactlyInAnyOrderElementsOf(excluded.toList());
  }

  @Test
  void answersWithoutCredentials() throws Exception {
    try (RunningServer server =
        new RunningServer(
            "bloomguard.filters.added.expected-insertions=1000",
            "management.endpoints.web.exposure.include=*")) {
      assertThat(server.context().getBeansOfType(SecurityFilterChain.class)).isEmpty();
      JsonNode links = json(server.get("/actuator"), 200).path("_links");
      assertThat(links.propertyNames()).contains("bloomfilters", "health", "prometheus");
      for (JsonNode link : links) {
        if (!link.path("templated").asBoolean() && !link.path("href").asString().endsWith("dump")) {
          String href = link.path("href").asString();
          String path = href.substring(href.indexOf("/actuator"));
          assertThat(server.get(path).statusCode()).as(path).isEqualTo(200);
        }
      }
      json(server.post("/v1/filters/added/keys", "{\"keys\":[1]}"), 200);
      json(server.post("/v1/filters/added/check", "{\"keys\":[1]}"), 200);
      json(server.post("/actuator/bloomfilters/added", "{\"action\":\"rollback\"}"), 409);
    }
  }
}

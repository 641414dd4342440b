package io.bloomguard.it.realinput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.it.support.Http;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The filter {@code packages} of one server, as a program in any language asks it. */
final class FilterClient {

  private static final int MAX_KEYS = 10_000;
  private static final JsonMapper JSON = new JsonMapper();

  private final URI server;

  FilterClient(URI server) {
    this.server = server;
  }

  /** What the filter says of each key, asked in the largest batches that a server takes. */
  List<String> check(List<String> keys) {
    List<String> results = new ArrayList<>(keys.size());
    for (int from = 0; from < keys.size(); from += MAX_KEYS) {
      List<String> batch = keys.subList(from, Math.min(keys.size(), from + MAX_KEYS));
      post("/v1/filters/packages/check", Map.of("keys", batch), 200)
          .get("results")
          .forEach(result -> results.add(result.asString()));
    }
    assertThat(results).hasSameSizeAs(keys);
    return results;
  }

  /** How many of {@code keys} changed the filter. */
  int add(List<String> keys) {
    return post("/v1/filters/packages/keys", Map.of("keys", keys), 200).get("added").asInt();
  }

  void rebuild() {
    post("/actuator/bloomfilters/packages", Map.of("action", "rebuild"), 202);
  }

  JsonNode status() {
    return answer(() -> Http.get(server.resolve("/actuator/bloomfilters/packages")), 200);
  }

  long generation() {
    return status().get("generation").asLong();
  }

  FilterClient awaitReady() {
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> status().get("state").asString().equals("READY"));
    return this;
  }

  private JsonNode post(String path, Object body, int expected) {
    return answer(() -> Http.post(server.resolve(path), JSON.writeValueAsString(body)), expected);
  }

  private static JsonNode answer(Callable<HttpResponse<String>> call, int expected) {
    try {
      HttpResponse<String> response = call.call();
      assertThat(response.statusCode()).as(response.body()).isEqualTo(expected);
      return JSON.readTree(response.body());
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}

package io.bloomguard.it.realinput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The filter {@code packages} of one server, as a program in any language asks it. */
final class FilterClient {

  private static final int MAX_KEYS = 10_000;
  private static final JsonMapper JSON = new JsonMapper();

  private final HttpClient http = HttpClient.newHttpClient();
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
    return send(HttpRequest.newBuilder(server.resolve("/actuator/bloomfilters/packages")), 200);
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
    return send(
        HttpRequest.newBuilder(server.resolve(path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body))),
        expected);
  }

  private JsonNode send(HttpRequest.Builder request, int expected) {
    try {
      HttpResponse<String> response =
          http.send(request.timeout(Duration.ofMinutes(1)).build(), BodyHandlers.ofString());
      assertThat(response.statusCode()).as(response.body()).isEqualTo(expected);
      return JSON.readTree(response.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}

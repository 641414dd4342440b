package io.bloomguard.it.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.support.Http;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls with JSON answers. */
final class Json {

  private static final JsonMapper JSON = new JsonMapper();

  private Json() {}

  /** The answer, whatever its status. */
  static JsonNode get(URI address) throws IOException, InterruptedException {
    return JSON.readTree(Http.get(address).body());
  }

  /** The answer of a call that succeeds. */
  static JsonNode post(URI address, Object body) throws IOException, InterruptedException {
    HttpResponse<String> response = Http.post(address, JSON.writeValueAsString(body));
    assertThat(response.statusCode()).as(response.body()).isBetween(200, 299);
    return JSON.readTree(response.body());
  }
}

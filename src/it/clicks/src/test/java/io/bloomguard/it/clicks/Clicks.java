package io.bloomguard.it.clicks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.bloomguard.it.support.Http;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The filter of clicks behind a server's membership API. */
final class Clicks {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final URI filter;

  Clicks(String server) {
    this.filter = URI.create(server + "/v1/filters/clicks/");
  }

  /** The answers to keys, in their order. */
  List<String> check(List<String> keys) throws Exception {
    List<String> answers = new ArrayList<>();
    JsonNode results = call("check", keys, null).get("results");
    results.forEach(answer -> answers.add(answer.asText()));
    return answers;
  }

  void add(List<String> keys) throws Exception {
    call("keys", keys, null);
  }

  /** Whether each key was new, by the first call under the claim. */
  List<Boolean> addEach(List<String> keys, String claim) throws Exception {
    List<Boolean> answers = new ArrayList<>();
    JsonNode isNew = call("keys?detail=true", keys, claim).get("new");
    isNew.forEach(answer -> answers.add(answer.asBoolean()));
    return answers;
  }

  /** Repeats the call while Redis is away, as any client of a network does. */
  private JsonNode call(String path, List<String> keys, String claim) throws Exception {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (true) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(filter.resolve(path))
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString(JSON.writeValueAsString(Map.of("keys", keys))));
      if (claim != null) {
        request.header("Idempotency-Key", claim);
      }
      HttpResponse<String> response = Http.send(request);
      if (response.statusCode() == 200) {
        return JSON.readTree(response.body());
      }
      if (response.statusCode() != 503 || System.nanoTime() - end > 0) {
        throw new IllegalStateException(response.statusCode() + " " + response.body());
      }
      Thread.sleep(200);
    }
  }
}

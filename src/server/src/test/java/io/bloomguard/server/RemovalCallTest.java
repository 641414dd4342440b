package io.bloomguard.server;

import static io.bloomguard.server.RunningServer.json;
import static io.bloomguard.server.RunningServer.problem;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.RemovalFailedException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;

/** The call that removes keys, on servers without the profile {@code secured}. */
class RemovalCallTest {

  private static RunningServer server;

  @BeforeAll
  static void start() {
    server = server("bloomguard.server.removals=true");
  }

  private static RunningServer server(String removals) {
    return new RunningServer(
        "bloomguard.filters.codes.expected-insertions=1000",
        "bloomguard.filters.codes.layout=counting",
        "bloomguard.filters.codes.source.added-only=true",
        "bloomguard.filters.plain.expected-insertions=1000",
        "bloomguard.filters.plain.source.added-only=true",
        "bloomguard.filters.bare.expected-insertions=1000",
        "bloomguard.filters.bare.layout=counting",
        "bloomguard.filters.cold.expected-insertions=1000",
        "bloomguard.filters.cold.layout=counting",
        "bloomguard.filters.cold.source.file.path=README.md",
        "bloomguard.filters.cold.warm-up.mode=none",
        removals);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void countsTheKeysThatWereRemoved() throws Exception {
    json(server.post("/v1/filters/codes/keys", "{\"keys\":[\"a\",42,\"b\"]}"), 200);
    assertThat(removed("{\"keys\":[\"a\",\"42\",\"never\"]}")).isEqualTo(2);
    assertThat(removed("{\"keys\":[\"a\"]}")).isZero();
    assertThat(removed("{\"keys\":[]}")).isZero();
    assertThat(
            json(server.post("/v1/filters/codes/check", "{\"keys\":[\"a\",42,\"b\"]}"), 200)
                .path("results")
                .toString())
        .isEqualTo("[\"ABSENT\",\"ABSENT\",\"POSSIBLY_PRESENT\"]");
  }

  @Test
  void anInvalidKeyRemovesNone() throws Exception {
    json(server.post("/v1/filters/codes/keys", "{\"keys\":[\"kept\"]}"), 200);
    assertThat(problem(delete("codes", "{\"keys\":[\"kept\",\"a\\u0000\"]}"), 400))
        .contains("index 1");
    assertThat(removed("{\"keys\":[\"kept\"]}")).isEqualTo(1);
  }

  @Test
  void refusesFiltersThatCannotOrMayNot() throws Exception {
    assertThat(problem(delete("plain", "{\"keys\":[1]}"), 409)).contains("counting");
    assertThat(problem(delete("bare", "{\"keys\":[1]}"), 409)).contains("source.added-only");
    problem(delete("none", "{\"keys\":[1]}"), 404);
  }

  @Test
  void isToBeRepeatedWhereNothingServedAndNotWhereTheAnswerIsLost() throws Exception {
    HttpResponse<String> answer = delete("cold", "{\"keys\":[1]}");
    assertThat(problem(answer, 503)).contains("No key was removed", "try again");
    assertThat(answer.headers().firstValue("Retry-After")).hasValue("5");
    ResponseEntity<ProblemDetail> lost =
        new Problems().removalFailed(new RemovalFailedException("lost", null));
    assertThat(lost.getBody().getDetail()).contains("Do not repeat the call");
    assertThat(lost.getHeaders().getFirst("Retry-After")).isNull();
  }

  @Test
  void removesNothingUnlessThatIsAllowed() throws Exception {
    try (RunningServer closed = server("bloomguard.server.open-writes=true")) {
      HttpResponse<String> answer =
          closed.send(
              closed
                  .request("/v1/filters/codes/keys")
                  .header("Content-Type", "application/json")
                  .method("DELETE", BodyPublishers.ofString("{\"keys\":[1]}"))
                  .build());
      assertThat(problem(answer, 409)).contains("secured", "bloomguard.server.removals=true");
    }
  }

  private static int removed(String body) throws Exception {
    return json(delete("codes", body), 200).path("removed").asInt();
  }

  private static HttpResponse<String> delete(String filter, String body) throws Exception {
    return server.send(
        server
            .request("/v1/filters/" + filter + "/keys")
            .header("Content-Type", "application/json")
            .method("DELETE", BodyPublishers.ofString(body))
            .build());
  }
}

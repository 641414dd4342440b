package io.bloomguard.server;

import static io.bloomguard.server.RunningServer.json;
import static io.bloomguard.server.RunningServer.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.SettledHeads;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** {@code POST /v1/filters/{name}/keys} with an {@code Idempotency-Key}. */
@Tag("redis")
class RepeatedAddTest {

  private static final String SECRET = "000102030405060708090a0b0c0d0e0f";

  private static EmbeddedRedis redis;
  private static RunningServer server;

  @BeforeAll
  static void start() {
    redis = new EmbeddedRedis();
    SettledHeads.of(redis, HashSecret.parse(SECRET), "shared");
    server =
        new RunningServer(
            "spring.data.redis.host=127.0.0.1",
            "spring.data.redis.port=" + redis.port(),
            "bloomguard.redis.command-timeout=10s",
            "bloomguard.hash-secret=" + SECRET,
            "bloomguard.filters.heap.expected-insertions=100000",
            "bloomguard.filters.heap.source.added-only=true",
            "bloomguard.filters.shared.backend=redis",
            "bloomguard.filters.shared.expected-insertions=100000",
            "bloomguard.filters.shared.source.added-only=true",
            "bloomguard.filters.clicks.backend=redis",
            "bloomguard.filters.clicks.expected-insertions=100000",
            "bloomguard.filters.clicks.window.length=1h",
            "bloomguard.filters.clicks.window.count=3",
            "bloomguard.filters.counted.backend=redis",
            "bloomguard.filters.counted.layout=counting",
            "bloomguard.filters.counted.source.added-only=true",
            "bloomguard.filters.seen.backend=redis",
            "bloomguard.filters.seen.expected-insertions=100",
            "bloomguard.filters.seen.per-subject.ttl=1d",
            "bloomguard.filters.small.expected-insertions=1000",
            "bloomguard.filters.small.source.added-only=true",
            "bloomguard.filters.small.claims.max-size=1KB",
            "bloomguard.filters.small.claims.ttl=1h");
    // A window that Redis has just begun does not tell yet which keys are new.
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                server
                    .post("/v1/filters/clicks/check", "{\"keys\":[\"none\"]}")
                    .body()
                    .contains("ABSENT"));
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
    redis.close();
  }

  private static HttpResponse<String> add(String filter, String claim, String keys)
      throws Exception {
    return send(server.request("/v1/filters/" + filter + "/keys?detail=true"), claim, keys);
  }

  private static HttpResponse<String> send(HttpRequest.Builder call, String claim, String keys)
      throws Exception {
    return server.send(
        call.header("Content-Type", "application/json")
            .header(MembershipController.CLAIM, claim)
            .POST(BodyPublishers.ofString("{\"keys\":[" + keys + "]}"))
            .build());
  }

  private static String many(int from) {
    return IntStream.range(from, from + 1_000)
        .mapToObj(Integer::toString)
        .collect(Collectors.joining(","));
  }

  @ParameterizedTest
  @ValueSource(strings = {"heap", "shared", "clicks"})
  void aRepeatGetsTheAnswerOfTheFirstCall(String filter) throws Exception {
    json(add(filter, "before", "7,8"), 200);
    JsonNode first = json(add(filter, "batch", many(0)), 200);
    assertThat(first.path("added").asInt()).isEqualTo(998);
    assertThat(first.path("new").path(7).asBoolean()).isFalse();
    assertThat(json(add(filter, "batch", many(0)), 200)).isEqualTo(first);

    HttpRequest.Builder plain = server.request("/v1/filters/" + filter + "/keys");
    JsonNode counted = json(send(plain, "batch", many(0)), 200);
    assertThat(counted.path("added").asInt()).isEqualTo(998);
    assertThat(counted.has("new")).isFalse();

    assertThat(problem(add(filter, "batch", many(5_000)), 409)).contains("stands for other keys");
    JsonNode others = json(add(filter, "others", many(5_000)), 200);
    assertThat(others.path("added").asInt()).isEqualTo(1_000);
  }

  @Test
  void equalKeysOfOneCallAreAnsweredAlike() throws Exception {
    JsonNode first = json(add("heap", "twice", "\"x\",\"y\",\"x\""), 200);
    assertThat(first.path("new").toString()).isEqualTo("[true,true,false]");
    assertThat(json(add("heap", "twice", "\"x\",\"y\",\"x\""), 200)).isEqualTo(first);
  }

  @ParameterizedTest
  @ValueSource(strings = {"counted", "seen/u1"})
  void aFilterWithoutClaimsRefusesTheHeaderWithTheReason(String filter) throws Exception {
    assertThat(problem(add(filter, "batch", "1"), 409)).contains("Idempotency-Key");
  }

  @Test
  void beyondTheBoundItIs503AndOtherAddsAreTaken() throws Exception {
    json(add("small", "one", "1,2,3"), 200);
    problem(add("small", "two", many(0)), 503);
    assertThat(json(add("small", "one", "1,2,3"), 200).path("added").asInt()).isEqualTo(3);
    json(server.post("/v1/filters/small/keys", "{\"keys\":[4]}"), 200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b", ""})
  void aMalformedHeaderIsRefused(String claim) throws Exception {
    assertThat(problem(add("heap", claim, "1"), 400)).contains("Idempotency-Key");
    assertThat(problem(add("heap", "x".repeat(256), "1"), 400)).contains("1 to 255");
    HttpRequest.Builder twice =
        server
            .request("/v1/filters/heap/keys?detail=true")
            .header(MembershipController.CLAIM, "another");
    assertThat(problem(send(twice, "one", "1"), 400)).contains("must come once");
  }
}

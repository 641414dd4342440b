package io.bloomguard.server;

import static io.bloomguard.server.RunningServer.json;
import static io.bloomguard.server.RunningServer.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.EmbeddedRedis;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import tools.jackson.databind.JsonNode;

/** Filters by subject in a running server, over HTTP and by code. */
@ExtendWith(OutputCaptureExtension.class)
@Tag("redis")
class SubjectApiTest {

  private static final String SEEN = "bloomguard.filters.seen.";
  private static final String FILTER = "/actuator/bloomfilters/seen";

  private static EmbeddedRedis redis;
  private static RunningServer server;

  @BeforeAll
  static void start() {
    redis = new EmbeddedRedis();
    server =
        new RunningServer(
            "spring.data.redis.host=127.0.0.1",
            "spring.data.redis.port=" + redis.port(),
            "bloomguard.redis.command-timeout=2s",
            "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
            SEEN + "backend=redis",
            SEEN + "expected-insertions=1000",
            SEEN + "per-subject.max-subjects=20",
            "bloomguard.filters.small.backend=redis",
            "bloomguard.filters.small.expected-insertions=100",
            "bloomguard.filters.small.per-subject.max-subjects=1",
            "bloomguard.filters.plain.expected-insertions=1000",
            "bloomguard.filters.plain.source.added-only=true");
    await().atMost(Duration.ofMinutes(1)).until(() -> state().equals("READY"));
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
    redis.close();
  }

  private static String state() throws Exception {
    return json(server.get(FILTER), 200).path("state").asString("");
  }

  @Test
  void pathAndBodyNameTheSameSubject() throws Exception {
    assertThat(added(server.post("/v1/filters/seen/u1/keys", "{\"keys\":[\"a\",42]}")))
        .isEqualTo(2);
    assertThat(added(server.post("/v1/filters/seen/keys", body("u1", "[\"42\",\"b\"]"))))
        .isEqualTo(1);
    assertThat(
            json(
                    server.post(
                        "/v1/filters/seen/u1/keys?detail=true", "{\"keys\":[\"b\",\"d\",\"d\"]}"),
                    200)
                .toString())
        .isEqualTo("{\"added\":1,\"new\":[false,true,false]}");
    for (HttpResponse<String> answer :
        List.of(
            server.post("/v1/filters/seen/u1/check", "{\"keys\":[\"a\",42,\"b\",\"c\"]}"),
            server.post(
                "/v1/filters/seen/check",
                "{\"keys\":[\"a\",42,\"b\",\"c\"],\"subject\":\"u1\"}"))) {
      assertThat(json(answer, 200).toString())
          .isEqualTo(
              "{\"results\":[\"POSSIBLY_PRESENT\",\"POSSIBLY_PRESENT\",\"POSSIBLY_PRESENT\","
                  + "\"ABSENT\"]}");
    }
    assertThat(json(server.post("/v1/filters/seen/u2/check", "{\"keys\":[\"a\"]}"), 200).toString())
        .isEqualTo("{\"results\":[\"UNKNOWN\"]}");
  }

  @Test
  void codeAsksTheSameFilters() throws Exception {
    BloomGuard<Object> guard = server.context().getBean(BloomGuards.class).guard("seen", "u3");
    assertThat(guard.put("a")).isTrue();
    assertThat(guard.putAll(List.of("a", "b"))).isEqualTo(1);
    assertThat(guard.check("a")).isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(guard.<RuntimeException>get("z", () -> "loaded")).isNull();
    assertThat(guard.<RuntimeException>get("a", () -> "first")).isEqualTo("first");
    assertThat(guard.<RuntimeException>get("a", () -> "second"))
        .as("kept nothing")
        .isEqualTo("second");
    assertThat(
            guard.<String, RuntimeException>getAll(
                List.of("a", "b", "z"), keys -> Map.of("a", keys.size())))
        .isEqualTo(Map.of("a", 2));
    assertThat(guard.getAsync("z", () -> null).toCompletableFuture().get()).isNull();
    assertThat(
            guard
                .getAsync("b", () -> CompletableFuture.completedFuture("b"))
                .toCompletableFuture()
                .get())
        .isEqualTo("b");
    assertThat(json(server.post("/v1/filters/seen/u3/check", "{\"keys\":[\"b\"]}"), 200).toString())
        .contains("POSSIBLY_PRESENT");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/v1/filters/seen/check    | {\"keys\":[]}                      | has a filter for each subject",
        "/v1/filters/seen/keys     | {\"keys\":[\"a\"]}                 | has a filter for each subject",
        "/v1/filters/seen/found    | {\"keys\":[\"a\"]}                 | has a filter for each subject",
        "/v1/filters/plain/check   | {\"keys\":[],\"subject\":\"u\"}    | has no filters by subject",
        "/v1/filters/plain/u/keys  | {\"keys\":[\"a\"]}                 | has no filters by subject",
        "/v1/filters/seen/check    | {\"keys\":[],\"subject\":\"ü\"}    | 1 to 128 characters of [A-Za-z0-9._~-]",
        "/v1/filters/seen/check    | {\"keys\":[],\"subject\":\"\"}     | 1 to 128 characters",
        "/v1/filters/seen/check    | {\"keys\":[],\"subject\":7}        | must be a string",
        "/v1/filters/seen/check    | {\"subject\":\"u\",\"subject\":\"v\",\"keys\":[]} | twice",
        "/v1/filters/seen/check    | {\"subject\":\"u\"}                | lacks the field 'keys'",
        "/v1/filters/seen/u@v/keys | {\"keys\":[\"a\"]}                 | 1 to 128 characters",
        "/v1/filters/seen/u/keys   | {\"keys\":[\"a\"],\"subject\":\"u\"} | in the path and in the body",
        "/v1/filters/seen/u/keys   | {\"keys\":[\"\"]}                  | index 0",
      })
  void refusesWhatIsNoCallOfASubject(String path, String json, String detail) throws Exception {
    assertThat(problem(server.post(path, json), 400)).contains(detail);
  }

  @Test
  void aSubjectHas128CharactersAtMost() throws Exception {
    String longest = "Az09._~-".repeat(16);
    json(server.post("/v1/filters/seen/check", body(longest, "[]")), 200);
    json(server.post("/v1/filters/seen/" + longest + "/check", "{\"keys\":[]}"), 200);
    problem(server.post("/v1/filters/seen/check", body(longest + "x", "[]")), 400);
  }

  @Test
  void anUnknownFilterIs404() throws Exception {
    problem(server.post("/v1/filters/none/u/check", "{\"keys\":[]}"), 404);
    problem(server.post("/v1/filters/none/check", body("u", "[]")), 404);
  }

  @Test
  void pastTheBoundANewSubjectIs503() throws Exception {
    json(server.post("/v1/filters/small/u1/keys", "{\"keys\":[\"a\"]}"), 200);
    HttpResponse<String> refused = server.post("/v1/filters/small/u2/keys", "{\"keys\":[\"a\"]}");
    assertThat(problem(refused, 503))
        .contains("bloomguard.filters.small.per-subject.max-subjects")
        .doesNotContain("u2");
    assertThat(Long.parseLong(refused.headers().firstValue("Retry-After").orElse("0")))
        .isBetween(Duration.ofDays(6).toSeconds(), Duration.ofDays(7).toSeconds());
    json(server.post("/v1/filters/small/u1/keys", "{\"keys\":[\"b\"]}"), 200);
  }

  @Test
  void operatorsSeeAllSubjectsInSumAndNoName(CapturedOutput output) throws Exception {
    String name = "anna-with-a-name";
    json(server.post("/v1/filters/seen/keys", body(name, "[\"k1\",\"k2\"]")), 200);
    // An answer that Redis did not give in time has no figures.
    JsonNode filter =
        await()
            .atMost(Duration.ofMinutes(1))
            .until(
                () -> json(server.get(FILTER), 200),
                answer ->
                    answer.at("/subjects/fill/sampled").asInt() > 0
                        && answer.at("/subjects/count").asInt() > 0);
    JsonNode subjects = filter.path("subjects");
    assertThat(subjects.path("count").asInt()).isBetween(1, 20);
    assertThat(filter.path("sizeBytes").asLong()).isEqualTo(subjects.path("bytes").asLong());
    assertThat(subjects.path("maxCount").asInt()).isEqualTo(20);
    assertThat(subjects.path("elements").asInt()).isPositive();
    assertThat(subjects.at("/fill/max").asDouble())
        .isGreaterThanOrEqualTo(subjects.at("/fill/p50").asDouble());

    JsonNode explained =
        json(
            server.post(
                FILTER, "{\"action\":\"explain\",\"subject\":\"" + name + "\",\"key\":\"k1\"}"),
            200);
    assertThat(explained.path("membership").asString()).isEqualTo("POSSIBLY_PRESENT");
    problem(server.post(FILTER, "{\"action\":\"explain\",\"key\":\"k1\"}"), 400);
    problem(server.post(FILTER, "{\"action\":\"explain\",\"key\":\"k\",\"subject\":\"?\"}"), 400);
    problem(server.post(FILTER, "{\"action\":\"rebuild\",\"subject\":\"u\"}"), 400);
    problem(
        server.post(
            "/actuator/bloomfilters/plain",
            "{\"action\":\"explain\",\"key\":\"k\",\"subject\":\"u\"}"),
        400);
    problem(server.post(FILTER, "{\"action\":\"rebuild\"}"), 409);
    problem(server.post(FILTER, "{\"action\":\"rollback\"}"), 409);

    String meters = server.get("/actuator/prometheus").body();
    assertThat(meters)
        .contains("bloomguard_filter_subjects{filter=\"seen\",kind=\"live\"}")
        .contains("bloomguard_filter_subjects_fill_ratio{filter=\"seen\"}")
        .doesNotContain(name);
    assertThat(server.get("/actuator/bloomfilters").body()).doesNotContain(name);
    assertThat(output).doesNotContain(name);
  }

  private static int added(HttpResponse<String> answer) {
    return json(answer, 200).path("added").asInt();
  }

  private static String body(String subject, String keys) {
    return "{\"subject\":\"" + subject + "\",\"keys\":" + keys + "}";
  }
}

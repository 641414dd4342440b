package io.bloomguard.server;

import static io.bloomguard.server.RunningServer.json;
import static io.bloomguard.server.RunningServer.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.SettledHeads;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * A server with one filter of each classic system, as its operators see it and hostile clients call
 * it. {@code docs/classic.md} has what these tests show; the filter of RedisBloom is without its
 * module here.
 */
@Tag("redis")
class ClassicOperationsTest {

  private static final String NO_MODULE = "raw";
  private static final int ADDERS = 4;

  private static EmbeddedRedis redis;
  private static RunningServer server;

  @BeforeAll
  static void start() throws Exception {
    redis = new EmbeddedRedis();
    SettledHeads.of(redis, HashSecret.parse("000102030405060708090a0b0c0d0e0f"), "shared-codes");
    List<String> properties =
        new ArrayList<>(
            List.of(
                "spring.data.redis.host=127.0.0.1",
                "spring.data.redis.port=" + redis.port(),
                "bloomguard.redis.command-timeout=5s",
                "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
                "bloomguard.server.removals=true"));
    for (String setting :
        List.of(
            "window.backend=redis",
            "window.window.length=1h",
            "window.window.count=3",
            "seen.backend=redis",
            "seen.per-subject.max-subjects=100",
            "comments.backend=redis-bitmap",
            "comments.bitmap.key=rptc",
            "comments.bitmap.bits=100003",
            "comments.bitmap.hashes=bkdr,sdbm,js",
            "comments.bitmap.create=true",
            "clicks.backend=redis-bitmap",
            "clicks.bitmap.key=clicks",
            "clicks.bitmap.bits=100003",
            "clicks.bitmap.hashes=bkdr-seeded",
            "clicks.bitmap.hash-count=8",
            "clicks.bitmap.partitioned=true",
            "clicks.bitmap.create=true",
            "clicks.bitmap.allow-clear=true",
            NO_MODULE + ".backend=redis-bloom",
            NO_MODULE + ".bloom.key-form=raw",
            NO_MODULE + ".bloom.key=theirs",
            "codes.layout=counting",
            "codes.source.added-only=true",
            "shared-codes.backend=redis",
            "shared-codes.layout=counting",
            "shared-codes.source.added-only=true",
            "guava.layout=guava",
            "guava.source.added-only=true",
            "blocked.source.added-only=true",
            "blocked.reject=present",
            "blocked.on-unknown=open")) {
      properties.add("bloomguard.filters." + setting);
    }
    for (String filter : List.of("window", "seen", "codes", "shared-codes", "guava", "blocked")) {
      properties.add("bloomguard.filters." + filter + ".expected-insertions=5000");
    }
    server = new RunningServer(properties.toArray(new String[0]));
    for (String filter : List.of("comments", "clicks")) {
      added(filter, "[\"first\"]");
    }
    for (String filter :
        List.of("window", "seen", "comments", "clicks", "codes", "shared-codes", "guava")) {
      await()
          .alias(filter)
          .atMost(Duration.ofMinutes(1))
          .until(() -> described(filter).path("state").asString().equals("READY"));
    }
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
    redis.close();
  }

  @ParameterizedTest
  @CsvSource({
    "window, redis, blocked, 0",
    "seen, redis, blocked, 8",
    "comments, redis-bitmap, classic, 3",
    "clicks, redis-bitmap, classic, 8",
    "codes, local, counting, 9",
    "shared-codes, redis, counting, 9",
    "guava, local, guava, 0",
    "blocked, local, blocked, 9"
  })
  void endpointMetersConsoleAndExplanationShowIt(
      String filter, String backend, String layout, int bits) throws Exception {
    added(filter, keys("seen-by-operators-", 200));
    await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                described(filter).path("fillRatio").asDouble() > 0
                    && meter("bloomguard_filter_fill_ratio{filter=\"" + filter + "\"}") > 0);
    JsonNode shown = described(filter);
    assertThat(shown.path("backend").asString()).isEqualTo(backend);
    assertThat(shown.path("layout").asString()).isEqualTo(layout);
    assertThat(shown.at("/falsePositiveProbability/expected").asDouble()).isPositive();
    assertThat(shown.path("window").isObject()).isEqualTo(filter.equals("window"));
    assertThat(shown.path("subjects").isObject()).isEqualTo(filter.equals("seen"));
    assertThat(shown.has("reject")).isEqualTo(filter.equals("blocked"));
    assertThat(meter("bloomguard_filter_rotates{filter=\"" + filter + "\"}"))
        .isEqualTo(filter.equals("window") ? 1 : 0);
    assertThat(meter("bloomguard_filter_elements{filter=\"" + filter + "\"}")).isPositive();

    JsonNode present = explained(filter, "seen-by-operators-7");
    assertThat(present.path("membership").asString()).isEqualTo("POSSIBLY_PRESENT");
    assertThat(present.path("bits").size() > 0).isEqualTo(bits > 0);
    assertThat(explained(filter, "never added").path("membership").asString()).isEqualTo("ABSENT");

    assertThat(json(server.get("/bloomguard/data"), 200).path("filters").toString())
        .contains("\"" + filter + "\"");
    assertThat(json(server.get("/bloomguard/data/" + filter + "/traffic"), 200).has("rates"))
        .isTrue();
    assertThat(json(server.get("/bloomguard/data/" + filter + "/sizing"), 200).has("curve"))
        .isTrue();
  }

  @Test
  void aWindowTellsOfItsGenerationsAndOfNoOtherFilters() throws Exception {
    added("window", "[\"in a generation\"]");
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> meter("bloomguard_filter_generations{filter=\"window\",kind=\"live\"}") == 1);
    assertThat(meter("bloomguard_filter_generations{filter=\"window\",kind=\"limit\"}"))
        .isEqualTo(3);
    assertThat(server.get("/actuator/prometheus").body())
        .doesNotContain("bloomguard_filter_generations{filter=\"shared-codes\"");
  }

  @Test
  void aMissingModuleIsToldEverywhere() throws Exception {
    assertThat(described(NO_MODULE).path("state").asString()).isEqualTo("DOUBTFUL");
    assertThat(explained(NO_MODULE, "a").path("reason").asString()).contains("BF.*");
    assertThat(checked(NO_MODULE, "[\"a\"]")).isEqualTo("[\"UNKNOWN\"]");
    problem(server.post(path(NO_MODULE) + "/keys", "{\"keys\":[\"a\"]}"), 503);
    assertThat(server.get("/actuator/health").body()).contains("BF.*");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "window",
        "seen",
        "comments",
        "clicks",
        "codes",
        "shared-codes",
        "guava",
        "blocked"
      })
  void whatOperatorsMayNotDoIsRefusedAndTheModeIsTheirs(String filter) throws Exception {
    String endpoint = "/actuator/bloomfilters/" + filter;
    problem(server.post(endpoint, "{\"action\":\"rebuild\"}"), 409);
    problem(server.post(endpoint, "{\"action\":\"rollback\"}"), 409);
    for (String mode : List.of("observe", "enforce")) {
      assertThat(
              json(server.post(endpoint, "{\"action\":\"" + mode + "\"}"), 202)
                  .path("mode")
                  .asString())
          .isEqualTo(mode);
    }
    json(server.post(endpoint, "{\"action\":\"arm\"}"), 202);
    if (!filter.equals("clicks")) {
      assertThat(
              problem(
                  server.post(endpoint, "{\"action\":\"clear\",\"confirm\":\"" + filter + "\"}"),
                  409))
          .containsAnyOf("redis-bitmap", "allow-clear")
          .doesNotContain("let this one be rebuilt");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "window",
        "seen",
        "comments",
        "clicks",
        "codes",
        "shared-codes",
        "guava",
        "blocked"
      })
  void oddBodiesAreRefusedAsAWhole(String filter) throws Exception {
    String keyOf = "odd-" + filter;
    for (String body :
        List.of(
            "",
            "null",
            "[]",
            "{}",
            "\"a\"",
            "{\"keys\":null}",
            "{\"keys\":\"" + keyOf + "\"}",
            "{\"keys\":[\"" + keyOf + "\",null]}",
            "{\"keys\":[\"" + keyOf + "\",[]]}",
            "{\"keys\":[\"" + keyOf + "\",{}]}",
            "{\"keys\":[\"" + keyOf + "\",1.5]}",
            "{\"keys\":[\"" + keyOf + "\",NaN]}",
            "{\"keys\":[\"" + keyOf + "\",1e400]}",
            "{\"keys\":[\"" + keyOf + "\",true]}",
            "{\"keys\":[\"" + keyOf + "\",\"\"]}",
            "{\"keys\":[\"" + keyOf + "\",\"\\ud800\"]}",
            "{\"keys\":[\"" + keyOf + "\",\"a\\u0000\"]}",
            "{\"keys\":[\"" + keyOf + "\",\"" + "x".repeat(257) + "\"]}",
            "{\"keys\":[\"" + keyOf + "\"," + "9".repeat(300) + "]}",
            "{\"keys\":[\"" + keyOf + "\"," + "9".repeat(1_001) + "]}",
            "{\"keys\":[\"" + keyOf + "\"]}}",
            "{\"keys\":[\"" + keyOf + "\"],\"keys\":[2]}",
            "{\"keys\":[\"" + keyOf + "\"],\"subject\":null}",
            "{\"keys\":[\"" + keyOf + "\"],\"subject\":[\"u\"]}",
            "[".repeat(2_000))) {
      for (String call : List.of("/check", "/keys", "/keys?detail=true")) {
        assertThat(problem(server.post(path(filter) + call, body), 400)).doesNotContain(keyOf);
      }
      HttpResponse<String> removal = delete(filter, body);
      problem(removal, filter.endsWith("codes") ? 400 : 409);
    }
    assertThat(checked(filter, "[\"" + keyOf + "\"]"))
        .isIn(
            filter.equals("seen")
                ? List.of("[\"UNKNOWN\"]", "[\"ABSENT\"]")
                : List.of("[\"ABSENT\"]"));
    problem(server.post(path(filter) + "/keys", "{\"keys\":" + keys(keyOf, 10_001) + "}"), 413);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "window",
        "seen",
        "comments",
        "clicks",
        "codes",
        "shared-codes",
        "guava",
        "blocked"
      })
  void ofDuplicatesInACallTheFirstIsNew(String filter) throws Exception {
    JsonNode told =
        json(
            server.post(
                path(filter) + "/keys?detail=true",
                "{\"keys\":[\"dup-a\",\"dup-a\",\"dup-b\",\"dup-a\",77012,\"77012\"]}"),
            200);
    assertThat(told.toString())
        .isEqualTo("{\"added\":3,\"new\":[true,false,true,false,true,false]}");
  }

  /** However many add a key at once; one whose answer is lost may be the one. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "window",
        "seen",
        "comments",
        "clicks",
        "codes",
        "shared-codes",
        "guava",
        "blocked"
      })
  void ofConcurrentAddersNoTwoHearThatAKeyIsNew(String filter) throws Exception {
    int count = 300;
    String body = "{\"keys\":" + keys("at-once-", count) + "}";
    AtomicIntegerArray heard = new AtomicIntegerArray(count);
    AtomicBoolean lost = new AtomicBoolean();
    CyclicBarrier together = new CyclicBarrier(ADDERS);
    ExecutorService threads = Executors.newFixedThreadPool(ADDERS);
    try {
      Callable<Void> adder =
          () -> {
            together.await();
            HttpResponse<String> answer = server.post(path(filter) + "/keys?detail=true", body);
            if (answer.statusCode() != 200) {
              lost.set(true);
              return null;
            }
            JsonNode isNew = json(answer, 200).path("new");
            for (int i = 0; i < count; i++) {
              heard.addAndGet(i, isNew.get(i).asBoolean() ? 1 : 0);
            }
            return null;
          };
      List<Future<Void>> adders = new ArrayList<>();
      for (int i = 0; i < ADDERS; i++) {
        adders.add(threads.submit(adder));
      }
      for (Future<Void> done : adders) {
        done.get();
      }
    } finally {
      threads.shutdownNow();
    }
    int told = 0;
    for (int i = 0; i < count; i++) {
      assertThat(heard.get(i)).as("adders that heard of key %s", i).isLessThanOrEqualTo(1);
      told += heard.get(i);
    }
    if (!lost.get()) {
      // A false positive is new to none.
      assertThat(told).isBetween(count - 10, count);
    }
  }

  @Test
  void clearingTwiceIsClearingOnce() throws Exception {
    String endpoint = "/actuator/bloomfilters/clicks";
    String clear = "{\"action\":\"clear\",\"confirm\":\"clicks\"}";
    added("clicks", "[\"cleared\"]");
    json(server.post(endpoint, clear), 202);
    json(server.post(endpoint, clear), 202);
    assertThat(checked("clicks", "[\"cleared\"]")).isEqualTo("[\"ABSENT\"]");
    assertThat(added("clicks", "[\"cleared\"]")).isEqualTo(1);
    problem(server.post(endpoint, "{\"action\":\"clear\",\"confirm\":\"CLICKS\"}"), 400);
    assertThat(checked("clicks", "[\"cleared\"]")).isEqualTo("[\"POSSIBLY_PRESENT\"]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"codes", "shared-codes"})
  void removingWhatWasNeverAddedRemovesNothing(String filter) throws Exception {
    added(filter, "[\"stays\",\"goes\"]");
    assertThat(removed(filter, "[\"never\",\"nor this\",4711]")).isZero();
    assertThat(removed(filter, "[\"goes\",\"goes\",\"never\"]")).as("a key once").isOne();
    assertThat(removed(filter, "[\"goes\"]")).isZero();
    assertThat(checked(filter, "[\"goes\",\"stays\"]"))
        .isEqualTo("[\"ABSENT\",\"POSSIBLY_PRESENT\"]");
  }

  /** What follows a semicolon would be cut off, and another subject's filter be meant. */
  @Test
  void aPathNamesAWholeSubject() throws Exception {
    for (String subject :
        List.of("a;b", "a;x=1", "a%3Bb", "%C3%BC", "a%20b", "+", "x".repeat(129))) {
      for (String call : List.of("check", "keys")) {
        problem(server.post("/v1/filters/seen/" + subject + "/" + call, "{\"keys\":[\"k\"]}"), 400);
      }
    }
    assertThat(json(server.post("/v1/filters/seen/a/check", "{\"keys\":[\"k\"]}"), 200).toString())
        .isEqualTo("{\"results\":[\"UNKNOWN\"]}");
    assertThat(
            problem(
                server.post(
                    "/v1/filters/seen/check",
                    "{\"subject\":\"" + "u".repeat(300) + "\",\"keys\":[]}"),
                400))
        .contains("the subject is too long");
    for (String subject : List.of("~", "check", "keys", "x".repeat(128))) {
      String keys = "{\"keys\":[\"k\"]}";
      json(server.post("/v1/filters/seen/" + subject + "/keys", keys), 200);
      assertThat(json(server.post("/v1/filters/seen/" + subject + "/check", keys), 200).toString())
          .isEqualTo("{\"results\":[\"POSSIBLY_PRESENT\"]}");
    }
  }

  private static String path(String filter) {
    return "/v1/filters/" + filter + (filter.equals("seen") ? "/anna" : "");
  }

  private static JsonNode described(String filter) throws Exception {
    return json(server.get("/actuator/bloomfilters/" + filter), 200);
  }

  private static JsonNode explained(String filter, String key) throws Exception {
    String subject = filter.equals("seen") ? ",\"subject\":\"anna\"" : "";
    return json(
        server.post(
            "/actuator/bloomfilters/" + filter,
            "{\"action\":\"explain\",\"key\":\"" + key + "\"" + subject + "}"),
        200);
  }

  private static int added(String filter, String keys) throws Exception {
    return json(server.post(path(filter) + "/keys", "{\"keys\":" + keys + "}"), 200)
        .path("added")
        .asInt();
  }

  private static String checked(String filter, String keys) throws Exception {
    return json(server.post(path(filter) + "/check", "{\"keys\":" + keys + "}"), 200)
        .path("results")
        .toString();
  }

  private static int removed(String filter, String keys) throws Exception {
    return json(delete(filter, "{\"keys\":" + keys + "}"), 200).path("removed").asInt();
  }

  private static HttpResponse<String> delete(String filter, String body) throws Exception {
    return server.send(
        server
            .request("/v1/filters/" + filter + "/keys")
            .header("Content-Type", "application/json")
            .method("DELETE", BodyPublishers.ofString(body))
            .build());
  }

  private static double meter(String series) throws Exception {
    return server
        .get("/actuator/prometheus")
        .body()
        .lines()
        .filter(line -> line.startsWith(series + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  private static String keys(String prefix, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "\"" + prefix + i + "\"")
        .collect(Collectors.joining(",", "[", "]"));
  }
}

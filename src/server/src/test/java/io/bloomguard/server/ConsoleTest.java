package io.bloomguard.server;

import static io.bloomguard.server.RunningServer.json;
import static io.bloomguard.server.RunningServer.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The console's calls, on the running server with its demo catalogue. */
class ConsoleTest {

  private static final String DATA = "/bloomguard/data";

  private static RunningServer server;

  @BeforeAll
  static void start() {
    server = new RunningServer();
    await().until(() -> filter().path("state").asString().equals("READY"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void servesThePageBehindASlash() throws Exception {
    HttpResponse<String> moved = server.get("/bloomguard");
    assertThat(moved.statusCode()).isEqualTo(302);
    URI page = moved.uri().resolve(moved.headers().firstValue("Location").orElseThrow());
    assertThat(page.getPath()).isEqualTo("/bloomguard/");

    HttpResponse<String> answer = server.get(page.getPath());
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).contains("<title>Bloomguard console</title>");
    assertThat(answer.headers().firstValue("Content-Security-Policy").orElse(""))
        .startsWith("default-src 'none'");
  }

  @Test
  void aFileThatTheBrowserHasIsNotSentAgain() throws Exception {
    String tag = server.get("/bloomguard/main.js").headers().firstValue("ETag").orElseThrow();
    HttpRequest again = server.request("/bloomguard/main.js").header("If-None-Match", tag).build();
    assertThat(server.send(again).statusCode()).isEqualTo(304);
  }

  @Test
  void tellsWhereTheEndpointIs() throws Exception {
    JsonNode contents = json(server.get(DATA), 200);
    assertThat(contents.path("filters").valueStream().map(JsonNode::asString))
        .containsExactly("products");
    assertThat(contents.path("panels").valueStream().map(JsonNode::asString))
        .containsExactly("attack");
    String endpoint =
        URI.create("/bloomguard/").resolve(contents.path("endpoint").asString()).getPath();
    json(server.get(endpoint + "/products"), 200);
  }

  @Test
  void tellsHowRejectedKeysBeginWithoutShowingThem() throws Exception {
    StringBuilder keys = new StringBuilder("{\"keys\":[\"zzyy0\"");
    for (int i = 1; i < 500; i++) {
      keys.append(",\"zzyy").append(i).append('"');
    }
    json(server.post("/v1/filters/products/check", keys + "]}"), 200);

    String body = server.get(DATA + "/products/traffic").body();
    String name =
        json(server.post(DATA + "/products/prefix", "{\"key\":\"zzyy-other\"}"), 200)
            .path("name")
            .asString();
    assertThat(body).contains("\"name\":\"" + name + "\"").doesNotContain("zzyy");
  }

  @Test
  void tellsOfNoCopiesWhereThereCanBeNone() throws Exception {
    assertThat(json(server.get(DATA + "/products/traffic"), 200).path("copies").isNull()).isTrue();
  }

  @Test
  void tellsWhatBecomesOfTheFilterThatServes() throws Exception {
    JsonNode sizing = json(server.get(DATA + "/products/sizing"), 200);
    assertThat(sizing.path("elements").asLong()).isBetween(99_000L, 101_000L);
    JsonNode curve = sizing.path("curve");
    assertThat(curve.path("bits").asLong()).isEqualTo(filter().path("bits").asLong());
    assertThat(curve.path("insertions").path(9).asLong()).isEqualTo(200_000);
    assertThat(curve.path("probabilities").path(9).asDouble()).isBetween(0.0009, 0.001);
    assertThat(curve.path("probabilities").path(39).asDouble()).isBetween(0.2, 0.9);
    assertThat(curve.path("capacity").asLong()).isBetween(200_000L, 202_000L);
  }

  @Test
  void calculatesEachLayout() throws Exception {
    JsonNode sizes = json(server.get(DATA + "/sizing?insertions=1000000&fpp=0.01"), 200);
    assertThat(sizes.valueStream().map(size -> size.at("/curve/blockWords").asInt()))
        .containsExactly(8, 4, 2, 1, 0, 0, 8, 0);
    assertThat(sizes.valueStream().skip(4).map(size -> size.path("layout").asString()))
        .containsExactly("classic", "guava", "counting", "redis-bloom");
    assertThat(json(server.get(DATA + "/sizing?insertions=1e10&fpp=0.0001"), 200)).hasSize(8);
  }

  @ParameterizedTest
  @CsvSource({
    "/nobody/traffic, 404",
    "/nobody/sizing, 404",
    "/sizing, 400",
    "/sizing?insertions=many&fpp=0.1, 400",
    "/sizing?insertions=10&fpp=2, 400",
  })
  void refusesWhatItCannotAnswer(String path, int status) throws Exception {
    assertThat(problem(server.get(DATA + path), status)).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/nobody/prefix         | {\"key\":\"a\"}       | 404",
        "/products/prefix       | {}                    | 400",
        "/products/prefix       | {                     | 400",
        "/products/prefix       | {\"key\":\"\"}        | 400",
        "/products/prefix?key=a | {\"key\":\"a\"}       | 400",
        "/attack                | {\"requests\":0}      | 400",
        "/attack                | {}                    | 400",
        "/attack                | []                    | 400",
        "/other                 | {}                    | 404",
        "/attack                | {\"requests\":20001}  | 400",
      })
  void refusesWhatItDoesNotDo(String path, String body, int status) throws Exception {
    assertThat(problem(server.post(DATA + path, body), status)).isNotEmpty();
  }

  /** It is the server's own, and served as the page's files are. */
  @Test
  void servesTheScriptOfTheDemosPanel() throws Exception {
    HttpResponse<String> script = server.get("/bloomguard/panels/attack.js");
    assertThat(script.statusCode()).isEqualTo(200);
    assertThat(script.headers().firstValue("Content-Type").orElse(""))
        .startsWith("text/javascript");
    assertThat(script.headers().firstValue("Content-Security-Policy").orElse(""))
        .startsWith("default-src 'none'");
    assertThat(script.body())
        .containsPattern("from '../page.js'")
        .doesNotContainPattern("http|import\\(|from '(?!\\.\\./page\\.js')");
    assertThat(json(server.get(DATA + "/attack"), 200).path("most").asInt()).isEqualTo(20_000);
  }

  @Test
  void attacksItselfWithAndWithoutTheGuard() throws Exception {
    long rejected = filter().at("/outcomes/rejected").asLong();
    JsonNode report = json(server.post(DATA + "/attack", "{\"requests\":3000}"), 200);
    JsonNode guarded = report.path("guarded");
    JsonNode unguarded = report.path("unguarded");
    // Each side ends early on a machine that is slow, and one id in ten thousand is passed.
    int asked = guarded.path("requests").asInt();
    assertThat(asked).isPositive();
    assertThat(guarded.path("databaseQueries").asInt()).isLessThan(1 + asked / 100);
    assertThat(unguarded.path("requests").asInt()).isPositive();
    assertThat(unguarded.path("databaseQueries").asInt())
        .isEqualTo(unguarded.path("requests").asInt());
    assertThat(filter().at("/outcomes/rejected").asLong() - rejected)
        .isGreaterThanOrEqualTo(asked - asked / 100 - 1);
  }

  @Test
  void isServedFromAManagementPortOfItsOwnAlone() throws Exception {
    try (RunningServer apart =
        new RunningServer(
            "bloomguard.filters.orders.expected-insertions=1000",
            "bloomguard.filters.orders.source.added-only=true",
            "management.server.port=0",
            "management.server.address=127.0.0.1",
            "management.server.base-path=/ops",
            "management.endpoints.web.base-path=/control")) {
      String port = apart.context().getEnvironment().getRequiredProperty("local.management.port");
      URI page = URI.create("http://127.0.0.1:" + port + "/ops/bloomguard/");
      assertThat(get(apart, page).body()).contains("<title>Bloomguard console</title>");
      JsonNode contents = json(get(apart, page.resolve("data")), 200);
      assertThat(contents.path("panels")).isEmpty();
      URI endpoint = page.resolve(contents.path("endpoint").asString() + "/orders");
      assertThat(json(get(apart, endpoint), 200).path("state").asString()).isEqualTo("READY");
      assertThat(problem(get(apart, page.resolve("data/nobody/traffic")), 404)).isNotEmpty();
      problem(post(apart, page.resolve("data/attack"), "{\"requests\":1}"), 404);
      problem(get(apart, page.resolve("data/attack")), 404);
      assertThat(get(apart, page.resolve("panels/attack.js")).statusCode()).isEqualTo(404);
      assertThat(apart.get("/bloomguard/").statusCode()).isEqualTo(404);
      assertThat(apart.get("/bloomguard/data").statusCode()).isEqualTo(404);
      problem(apart.get("/"), 404);
    }
  }

  @Test
  void isNotThereWhereItIsOff() throws Exception {
    try (RunningServer without =
        new RunningServer(
            "bloomguard.filters.orders.expected-insertions=1000",
            "bloomguard.console.enabled=false",
            "server.servlet.context-path=/shop")) {
      assertThat(without.get("/shop/actuator/bloomfilters").statusCode()).isEqualTo(200);
      assertThat(without.get("/shop/bloomguard/").statusCode()).isEqualTo(404);
      problem(without.get("/shop/"), 404);
    }
  }

  private static HttpResponse<String> get(RunningServer server, URI uri) throws Exception {
    return server.send(HttpRequest.newBuilder(uri).build());
  }

  private static HttpResponse<String> post(RunningServer server, URI uri, String json)
      throws Exception {
    return server.send(
        HttpRequest.newBuilder(uri)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json))
            .build());
  }

  private static JsonNode filter() throws Exception {
    return json(server.get("/actuator/bloomfilters/products"), 200);
  }
}

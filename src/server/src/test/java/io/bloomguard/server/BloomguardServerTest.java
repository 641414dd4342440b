package io.bloomguard.server;

import static io.bloomguard.server.RunningServer.json;
import static io.bloomguard.server.RunningServer.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** The server as it starts when nobody has configured anything, with the demo catalogue. */
@ExtendWith(OutputCaptureExtension.class)
class BloomguardServerTest {

  private static RunningServer server;

  @BeforeAll
  static void start() {
    server = new RunningServer("bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f");
    await().until(() -> filter().path("state").asString().equals("READY"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void answersAProductAndAProblemForNone() throws Exception {
    JsonNode product = json(server.get("/api/products/42"), 200);
    assertThat(product.propertyNames()).containsExactly("id", "name", "price");
    assertThat(product.path("id").asLong()).isEqualTo(42);
    assertThat(product.path("price").isNumber()).isTrue();
    problem(server.get("/api/products/abc"), 400);
  }

  @Test
  void asksTheDatabaseNothingForAnIdThatIsNot() throws Exception {
    for (int i = 0; i < 20; i++) {
      // The first rejections are verified, each by a query.
      problem(server.get("/api/products/" + (888_888_800 + i)), 404);
    }
    JdbcClient jdbc = JdbcClient.create(server.context().getBean(DataSource.class));
    jdbc.sql("set query_statistics true").update();
    long rejected = filter().at("/outcomes/rejected").asLong();
    double queries = queries();
    assertThat(problem(server.get("/api/products/999999999"), 404))
        .contains("There is nothing with this key."); // the rule's answer, not the handler's
    assertThat(filter().at("/outcomes/rejected").asLong()).isEqualTo(rejected + 1);
    assertThat(lookups(jdbc)).isZero();
    assertThat(queries()).isEqualTo(queries);
    json(server.get("/api/products/77777"), 200);
    assertThat(lookups(jdbc)).isOne();
    assertThat(queries()).isEqualTo(queries + 1);
    json(server.get("/api/products/77777"), 200);
    assertThat(lookups(jdbc)).isOne();
  }

  /** What the README has a newcomer look at. */
  private static double queries() throws Exception {
    return json(server.get("/actuator/metrics/catalogue.queries"), 200)
        .at("/measurements/0/value")
        .asDouble();
  }

  @Test
  void leadsFromTheRootToTheConsole() throws Exception {
    HttpResponse<String> answer = server.get("/");
    assertThat(answer.statusCode()).isEqualTo(302);
    assertThat(answer.headers().firstValue("Location")).contains("bloomguard/");
  }

  @Test
  void servesANewProductAtOnce() throws Exception {
    long next = json(create("{\"name\":\"Lamp\",\"price\":9.9}"), 201).path("id").asLong() + 1;
    problem(server.get("/api/products/" + next), 404);
    HttpResponse<String> created = create("{\"name\":\"Desk lamp\",\"price\":12.50}");
    JsonNode product = json(created, 201);
    assertThat(product.path("id").asLong()).isEqualTo(next);
    assertThat(product.path("name").asString()).isEqualTo("Desk lamp");
    assertThat(created.headers().firstValue("Location")).contains("/api/products/" + next);
    assertThat(json(server.get("/api/products/" + next), 200)).isEqualTo(product);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"price\":1}                          | 'name'",
        "{\"name\":\" \",\"price\":1}           | 'name'",
        "{\"name\":\"a\"}                       | 'price'",
        "{\"name\":\"a\",\"price\":-0.01}       | 'price'",
        "{\"name\":\"a\",\"price\":1.999}       | 'price'",
        "{\"name\":\"a\",\"price\":1e9}         | 'price'",
        "{\"name\":\"a\",\"price\":1e999999999} | 'price'",
        "{\"name\":\"a\",\"price\":\"cheap\"}   | read",
        "{\"name\":                             | read",
      })
  void refusesAProductThatIsNone(String body, String why) throws Exception {
    assertThat(problem(create(body), 400)).contains(why);
  }

  @Test
  void refusesANameThatIsTooLong() throws Exception {
    assertThat(problem(create("{\"name\":\"" + "x".repeat(201) + "\",\"price\":1}"), 400))
        .contains("'name'", "200");
  }

  @Test
  void isUpWithoutRedis() throws Exception {
    JsonNode health = json(server.get("/actuator/health"), 200);
    assertThat(health.path("status").asString()).isEqualTo("UP");
    assertThat(health.path("components").has("redis")).isFalse();
    assertThat(health.at("/components/bloomguard/details/products/state").asString())
        .isEqualTo("READY");
    assertThat(health.at("/components/bloomguard/details/products/policy").asString())
        .isEqualTo("open");
  }

  @Test
  void showsTheFilterToPrometheus() throws Exception {
    json(server.get("/api/products/1"), 200);
    String scrape = server.get("/actuator/prometheus").body();
    assertThat(scrape)
        .contains("bloomguard_requests_total{entry=\"method\",filter=\"products\"")
        .contains("bloomguard_filter_state{filter=\"products\",state=\"ready\"} 1.0")
        .contains("bloomguard_filter_capacity{filter=\"products\"} 200000.0")
        .contains("bloomguard_load_seconds_count{filter=\"products\",outcome=\"found\"}")
        .contains("bloomguard_rebuild_seconds_count{filter=\"products\"}");
  }

  @Test
  void rebuildsOnRequest() throws Exception {
    long generation = filter().path("generation").asLong();
    String run =
        json(server.post("/actuator/bloomfilters/products", "{\"action\":\"rebuild\"}"), 202)
            .path("run")
            .asString();
    await().until(() -> filter().at("/lastRebuild/run").asString("").equals(run));
    assertThat(filter().path("generation").asLong()).isEqualTo(generation + 1);
    assertThat(filter().at("/lastRebuild/keys").asLong()).isGreaterThanOrEqualTo(100_000);
    assertThat(
            server.post("/actuator/bloomfilters/products", "{\"action\":\"rebuild\"}").statusCode())
        .isEqualTo(429);
  }

  @Test
  void answersTheMembershipAndTheSizingCall() throws Exception {
    JsonNode results =
        json(server.post("/v1/filters/products/check", "{\"keys\":[1,\"100000\",999999999]}"), 200);
    assertThat(results.path("results").valueStream().map(JsonNode::asString))
        .containsExactly("POSSIBLY_PRESENT", "POSSIBLY_PRESENT", "ABSENT");
    assertThat(json(server.get("/v1/sizing?insertions=1000&fpp=0.01"), 200).at("/layouts/blocked"))
        .isNotEmpty();
    assertThat(problem(server.get("/v1/sizing?insertions=x&fpp=0.01"), 400)).contains("'x'");
  }

  @Test
  void namesTheIndexOfAKeyThatIsNone() throws Exception {
    assertThat(problem(server.post("/v1/filters/products/check", "{\"keys\":[1,\"\"]}"), 400))
        .contains("index 1");
  }

  @Test
  void saysAtStartHowItsFiltersStandAndWhereToLook(CapturedOutput output) {
    try (RunningServer second =
        new RunningServer(
            "bloomguard.filters.orders.expected-insertions=1000",
            "bloomguard.filters.orders.source.added-only=true")) {
      assertThat(output)
          .contains("Filter 'orders': backend local, READY, ")
          .contains("about 0 of 1000 keys")
          .contains("http://localhost:" + second.port() + "/actuator/bloomfilters");
      assertThat(second.context().getBeansOfType(DataSource.class)).isEmpty();
    }
  }

  @Test
  void namesTheManagementPortWhereItIsApart(CapturedOutput output) {
    try (RunningServer second =
        new RunningServer(
            "bloomguard.filters.orders.expected-insertions=1000",
            "management.server.port=0",
            "management.server.base-path=/ops")) {
      String port = second.context().getEnvironment().getRequiredProperty("local.management.port");
      assertThat(output).contains("http://localhost:" + port + "/ops/actuator/bloomfilters");
    }
  }

  private static HttpResponse<String> create(String body) throws Exception {
    return server.post("/api/products", body);
  }

  private static JsonNode filter() throws Exception {
    return json(server.get("/actuator/bloomfilters/products"), 200);
  }

  private static long lookups(JdbcClient jdbc) {
    return jdbc.sql(
            "select coalesce(sum(execution_count), 0) from information_schema.query_statistics"
                + " where sql_statement like ?")
        .param("select id, name, price from products where id = ?%")
        .query(Long.class)
        .single();
  }
}

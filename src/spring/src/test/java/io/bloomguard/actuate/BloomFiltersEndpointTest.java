package io.bloomguard.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.actuate.internal.OperatedFilters;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.generation.internal.build.RebuildListener;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.Enforcement;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.UnknownPolicy;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The endpoint over HTTP, with real filters: each test has its own, and most of them share a
 * server.
 */
@ExtendWith(OutputCaptureExtension.class)
class BloomFiltersEndpointTest {

  private static final JsonMapper JSON = new JsonMapper();

  private static final HotSwappableTargetSource ENDPOINT =
      new HotSwappableTargetSource(new BloomFiltersEndpoint(new OperatedFilters(List.of())));
  private static final HotSwappableTargetSource EXTENSION =
      new HotSwappableTargetSource(
          new BloomFiltersWebExtension((BloomFiltersEndpoint) ENDPOINT.getTarget()));

  private static ConfigurableApplicationContext unrestricted;

  private final ExecutorService background = Executors.newSingleThreadExecutor();
  private final HttpClient http = HttpClient.newHttpClient();
  private final GatedSource gated = new GatedSource();
  private volatile int rows = 1;
  private final TestFilters filters =
      new TestFilters()
          .with(
              "products",
              UnknownPolicy.OPEN,
              sink -> LongStream.range(42, 42 + rows).forEach(sink::accept))
          .with("added", UnknownPolicy.OPEN, null)
          .over("away", new UnreachableStore())
          .with(
              "slow",
              UnknownPolicy.CLOSED,
              gated,
              background,
              RebuildListener.NONE,
              GuardListener.NONE);
  private ConfigurableApplicationContext server = unrestricted;

  @BeforeAll
  static void startServer() {
    unrestricted = serve("management.endpoint.bloomfilters.access=unrestricted");
  }

  @AfterAll
  static void stopServer() {
    unrestricted.close();
  }

  @BeforeEach
  void start() {
    BloomFiltersEndpoint endpoint = new BloomFiltersEndpoint(filters.operated());
    ENDPOINT.swap(endpoint);
    EXTENSION.swap(new BloomFiltersWebExtension(endpoint));
  }

  @AfterEach
  void stop() {
    gated.open();
    if (server != unrestricted) {
      server.close();
    }
    background.shutdownNow();
  }

  @Test
  void readsAllFiltersByName() throws Exception {
    JsonNode body = json(get("/actuator/bloomfilters"), 200);
    assertThat(body.path("filters").propertyNames())
        .containsExactly("products", "added", "away", "slow");
    assertThat(body.at("/filters/added/state").asString()).isEqualTo("READY");
  }

  @Test
  void describesAFilterThatNothingServesYet() throws Exception {
    JsonNode body = json(get("/actuator/bloomfilters/products"), 200);
    assertThat(body.propertyNames())
        .containsExactly(
            "state",
            "mode",
            "verified",
            "generation",
            "backend",
            "layout",
            "blockWords",
            "expectedInsertions",
            "estimatedElements",
            "bits",
            "hashes",
            "sizeBytes",
            "fillRatio",
            "designFillRatio",
            "falsePositiveProbability",
            "rebuild",
            "outcomes");
    assertThat(body.path("state").asString()).isEqualTo("EMPTY");
    assertThat(body.path("rebuild").propertyNames())
        .containsExactly("running", "scanned", "ratePerSecond");
  }

  @Test
  void describesAFilterThatWasRebuilt() throws Exception {
    String run = json(post("products", "{\"action\":\"rebuild\"}"), 202).path("run").asString();
    guard("products").checkAll(List.of("42", "43", "44"));

    JsonNode body = json(get("/actuator/bloomfilters/products"), 200);

    assertThat(body.path("state").asString()).isEqualTo("READY");
    assertThat(body.path("generation").isIntegralNumber()).isTrue();
    assertThat(body.path("generation").asLong()).isEqualTo(1);
    assertThat(body.path("backend").asString()).isEqualTo("local");
    assertThat(body.path("layout").asString()).isEqualTo("blocked");
    assertThat(body.path("blockWords").asInt()).isEqualTo(8);
    assertThat(body.path("expectedInsertions").asLong()).isEqualTo(1_000);
    assertThat(body.path("estimatedElements").asLong()).isEqualTo(1);
    assertThat(body.path("sizeBytes").asLong() * 8).isEqualTo(body.path("bits").asLong());
    assertThat(body.path("fillRatio").asDouble())
        .isEqualTo(body.path("hashes").asDouble() / body.path("bits").asDouble());
    assertThat(body.path("designFillRatio").asDouble()).isBetween(0.2, 0.6);
    assertThat(body.at("/falsePositiveProbability/configured").asDouble()).isEqualTo(0.001);
    assertThat(body.at("/falsePositiveProbability/expected").asDouble()).isBetween(0.0, 0.0005);
    JsonNode last = body.path("lastRebuild");
    assertThat(last.propertyNames())
        .containsExactly("run", "started", "finished", "keys", "durationMs", "outcome", "trigger");
    assertThat(last.path("run").asString()).isEqualTo(run);
    assertThat(Instant.parse(last.path("started").asString()))
        .isEqualTo(Instant.ofEpochSecond(1_000));
    assertThat(last.path("keys").asLong()).isEqualTo(1);
    assertThat(last.path("durationMs").isIntegralNumber()).isTrue();
    assertThat(last.path("outcome").asString()).isEqualTo("succeeded");
    assertThat(last.path("trigger").asString()).isEqualTo("request");
    assertThat(body.at("/outcomes/passed").asLong()).isEqualTo(1);
    assertThat(body.at("/outcomes/rejected").asLong()).isEqualTo(2);
    assertThat(body.path("outcomes").propertyNames()).hasSize(Outcome.values().length);
  }

  @Test
  void answers404ForAnUnknownName() throws Exception {
    assertThat(problem(get("/actuator/bloomfilters/nope"), 404))
        .contains("nope", "added, away, products, slow");
    HttpResponse<String> write = post("nope", "{\"action\":\"rebuild\"}");
    assertThat(problem(write, 404)).contains("nope", "added, away, products, slow");
    assertThat(json(get("/actuator/bloomfilters"), 200).path("filters").has("nope")).isFalse();
  }

  @Test
  void forcedRebuildPublishesASourceThatShrank(CapturedOutput output) throws Exception {
    ManagedFilter products = filters.operated().find("products").orElseThrow().filter();
    rows = 10;
    products.requestRebuild(RebuildTrigger.SCHEDULE);
    rows = 4;
    products.requestRebuild(RebuildTrigger.SCHEDULE);
    JsonNode kept = json(get("/actuator/bloomfilters/products"), 200);
    assertThat(kept.path("state").asString()).isEqualTo("READY");
    assertThat(kept.at("/lastRebuild/outcome").asString()).isEqualTo("failed");
    assertThat(kept.at("/lastRebuild/keys").asLong()).isEqualTo(4);
    assertThat(kept.at("/lastRebuild/failure").asString())
        .contains("4 keys", "10 when", "rebuild.max-shrink");

    json(post("products", "{\"action\":\"rebuild\",\"force\":true}"), 202);

    JsonNode forced = json(get("/actuator/bloomfilters/products"), 200);
    assertThat(forced.at("/lastRebuild/outcome").asString()).isEqualTo("succeeded");
    assertThat(output).contains("forced rebuild of filter 'products' by anonymous");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"yes\"", "\"\"", "1", "0"})
  void answers400ForAForceThatIsNoBoolean(String force) throws Exception {
    String body = "{\"action\":\"rebuild\",\"force\":" + force + "}";
    assertThat(problem(post("products", body), 400)).contains("'force' must be true or false");
  }

  @ParameterizedTest
  @ValueSource(strings = {"rollback", "explain"})
  void answers400ForAForceOfAnotherAction(String action) throws Exception {
    String body = "{\"action\":\"" + action + "\",\"force\":false}";
    assertThat(problem(post("products", body), 400)).contains("'force'", "'rebuild' only");
  }

  @Test
  void answers400ForAnUnknownOrMissingAction() throws Exception {
    assertThat(problem(post("products", "{\"action\":\"explode\"}"), 400))
        .contains("action", "rebuild, rollback and explain");
    assertThat(problem(post("products", "{}"), 400)).contains("'action' is missing");
    assertThat(problem(post("products", ""), 400)).contains("'action' is missing");
  }

  @Test
  void answers400ForMalformedJsonAnd415ForAnotherMediaType() throws Exception {
    assertThat(post("products", "{\"action\":").statusCode()).isEqualTo(400);
    HttpRequest form =
        request("/actuator/bloomfilters/products")
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString("action=rebuild"))
            .build();
    assertThat(send(form).statusCode()).isEqualTo(415);
    assertThat(json(get("/actuator/bloomfilters/products"), 200).has("lastRebuild")).isFalse();
  }

  @Test
  void refusesQueryParametersOnWrites() throws Exception {
    HttpResponse<String> answer =
        post("products?key=secret-key", "{\"action\":\"explain\",\"key\":\"42\"}");
    assertThat(problem(answer, 400)).contains("Query parameters").doesNotContain("secret-key");
    assertThat(problem(post("products?action=rebuild", "{}"), 400)).contains("Query parameters");
    assertThat(problem(delete("slow/rebuild?force"), 400)).contains("Query parameters");
  }

  @Test
  void refusesQueryParametersOnReads() throws Exception {
    assertThat(problem(get("/actuator/bloomfilters/products?key=secret-key"), 400))
        .contains("Query parameters")
        .doesNotContain("secret-key");
    assertThat(problem(get("/actuator/bloomfilters/products?name=slow"), 400))
        .contains("Query parameters");
    assertThat(problem(get("/actuator/bloomfilters?key=secret-key"), 400))
        .contains("Query parameters")
        .doesNotContain("secret-key");
  }

  @Test
  void refusedReadIsNotWhatLaterReadsGet() throws Exception {
    server = serve("management.endpoint.bloomfilters.cache.time-to-live=1h");
    for (String query : List.of("?&", "?key", "?key=secret-key")) {
      get("/actuator/bloomfilters" + query);
      assertThat(get("/actuator/bloomfilters").statusCode()).as(query).isEqualTo(200);
    }
  }

  @Test
  void refusesABodyThatNamesAnotherFilter() throws Exception {
    HttpResponse<String> answer = post("products", "{\"action\":\"rebuild\",\"name\":\"slow\"}");
    assertThat(problem(answer, 400)).contains("'name'");
    assertThat(json(get("/actuator/bloomfilters/slow"), 200).at("/rebuild/running").asBoolean())
        .isFalse();
  }

  @Test
  void answers409WhileARebuildRunsAndShowsItsProgress() throws Exception {
    String run = json(post("slow", "{\"action\":\"rebuild\"}"), 202).path("run").asString();
    gated.awaitReading();

    JsonNode rebuild = json(get("/actuator/bloomfilters/slow"), 200).path("rebuild");
    assertThat(rebuild.path("running").asBoolean()).isTrue();
    assertThat(rebuild.path("run").asString()).isEqualTo(run);
    assertThat(rebuild.path("total").asLong()).isEqualTo(2);
    assertThat(problem(post("slow", "{\"action\":\"rebuild\"}"), 409)).contains("slow");
  }

  @Test
  void answers409WithoutASource() throws Exception {
    assertThat(problem(post("added", "{\"action\":\"rebuild\"}"), 409)).contains("source");
  }

  @Test
  void answers429WithRetryAfterWithinTheCooldown() throws Exception {
    assertThat(post("products", "{\"action\":\"rebuild\"}").statusCode()).isEqualTo(202);
    HttpResponse<String> again = post("products", "{\"action\":\"rebuild\"}");
    assertThat(problem(again, 429)).contains("products");
    assertThat(again.headers().firstValue("Retry-After")).contains("90");
  }

  @Test
  void aRefusedRebuildNamesTheRunThatIsUnderWayOrTheLastOne() throws Exception {
    String rebuild = "{\"action\":\"rebuild\"}";
    String run = json(post("products", rebuild), 202).path("run").asString();
    HttpResponse<String> again = post("products", rebuild);
    assertThat(problem(again, 429)).contains("products", run);
    assertThat(new JsonMapper().readTree(again.body()).path("run").asString()).isEqualTo(run);

    run = json(post("slow", rebuild), 202).path("run").asString();
    gated.awaitReading();
    again = post("slow", rebuild);
    assertThat(problem(again, 409)).contains("slow", run);
    assertThat(new JsonMapper().readTree(again.body()).path("run").asString()).isEqualTo(run);
    assertThat(post("added", rebuild).body()).contains("source").doesNotContain("\"run\"");
    assertThat(problem(post("away", rebuild), 503)).contains("store");
  }

  @Test
  void writesALineForEachChangeThatIsAskedFor(CapturedOutput output) throws Exception {
    String rebuild = "{\"action\":\"rebuild\"}";
    String run = json(post("products", rebuild), 202).path("run").asString();
    post("products", rebuild);
    post("added", rebuild);
    post("away", rebuild);
    post("products", "{\"action\":\"rollback\"}");
    filters.operated().find("products").orElseThrow().filter().requestRebuild(RebuildTrigger.FILL);
    post("products", "{\"action\":\"rollback\"}");
    delete("slow/rebuild");
    post("slow", rebuild);
    gated.awaitReading();
    delete("slow/rebuild");

    List<String> lines = audit(output);
    assertThat(lines)
        .allSatisfy(line -> assertThat(line).contains(" INFO ", " by anonymous from 127.0.0.1: "))
        .satisfiesExactly(
            line -> assertThat(line).contains("rebuild of filter 'products'", run),
            line -> assertThat(line).contains("rebuild of filter 'products'", "refused", "ago"),
            line -> assertThat(line).contains("rebuild of filter 'added'", "refused", "source"),
            line -> assertThat(line).contains("rebuild of filter 'away'", "refused", "connected"),
            line -> assertThat(line).contains("rollback of filter 'products'", "refused", "older"),
            line -> assertThat(line).contains("rollback of filter 'products'", "generation 1"),
            line -> assertThat(line).contains("cancellation", "'slow'", "none runs"),
            line -> assertThat(line).contains("rebuild of filter 'slow'", "run "),
            line -> assertThat(line).contains("cancellation", "'slow'", "asked to stop"));
  }

  @Test
  void writesNoLineForWhatChangesNothingAndNoKey(CapturedOutput output) throws Exception {
    get("/actuator/bloomfilters");
    get("/actuator/bloomfilters/products");
    post("products", "{\"action\":\"explain\",\"key\":\"secret-key\"}");
    post("products", "{\"action\":\"remake\",\"key\":\"secret-key\"}");
    post("nope", "{\"action\":\"rebuild\",\"key\":\"secret-key\"}");
    delete("nope/rebuild");
    assertThat(audit(output)).isEmpty();
    post("products", "{\"action\":\"rebuild\",\"key\":\"secret-key\"}");
    assertThat(audit(output)).hasSize(1);
    assertThat(output).doesNotContain("secret-key");
  }

  @Test
  void armsADisarmedFilterAndSwitchesItsMode(CapturedOutput output) throws Exception {
    assertThat(json(get("/actuator/bloomfilters/added"), 200).path("mode").asString())
        .isEqualTo("enforce");
    FilterStore store = filters.operated().find("added").orElseThrow().filter().store();
    store.enforcement().disarm();
    JsonNode body = json(get("/actuator/bloomfilters/added"), 200);
    assertThat(body.path("state").asString()).isEqualTo("DISARMED");
    assertThat(body.path("verified").toString())
        .isEqualTo("{\"confirmed\":0,\"late\":0,\"wrong\":0,\"spelling\":0}");

    JsonNode observed = json(post("added", "{\"action\":\"observe\"}"), 202);
    assertThat(observed.toString()).isEqualTo("{\"state\":\"DISARMED\",\"mode\":\"observe\"}");
    JsonNode armed = json(post("added", "{\"action\":\"arm\"}"), 202);
    assertThat(armed.toString()).isEqualTo("{\"state\":\"READY\",\"mode\":\"observe\"}");
    json(post("added", "{\"action\":\"enforce\"}"), 202);
    assertThat(json(get("/actuator/bloomfilters/added"), 200).path("mode").asString())
        .isEqualTo("enforce");
    assertThat(audit(output))
        .satisfiesExactly(
            line -> assertThat(line).contains("observe of filter 'added'", "DISARMED", "observe"),
            line -> assertThat(line).contains("arm of filter 'added'", "READY"),
            line -> assertThat(line).contains("enforce of filter 'added'", "mode enforce"));
  }

  @Test
  void aRebuildThatAnOperatorAskedForArmsAFilter() throws Exception {
    FilterStore store = filters.operated().find("products").orElseThrow().filter().store();
    store.enforcement().disarm();
    filters.operated().find("products").orElseThrow().filter().requestRebuild(RebuildTrigger.FILL);
    assertThat(json(get("/actuator/bloomfilters/products"), 200).path("state").asString())
        .as("one that it did by itself does not")
        .isEqualTo("DISARMED");
    json(post("products", "{\"action\":\"rebuild\"}"), 202);
    assertThat(json(get("/actuator/bloomfilters/products"), 200).path("state").asString())
        .isEqualTo("READY");
  }

  @Test
  void aFilterThatRejectedWronglyIsRebuiltBeforeItIsArmedOrArmedByForce(CapturedOutput output)
      throws Exception {
    ManagedFilter products = filters.operated().find("products").orElseThrow().filter();
    products.requestRebuild(RebuildTrigger.FILL);
    report("products", "row");
    assertThat(problem(post("products", "{\"action\":\"arm\"}"), 409))
        .contains("a rebuild has to come first; force to arm all the same");
    assertThat(state("products")).isEqualTo("DISARMED");

    JsonNode forced = json(post("products", "{\"action\":\"arm\",\"force\":true}"), 202);
    assertThat(forced.path("state").asString()).isEqualTo("READY");
    JsonNode body = json(get("/actuator/bloomfilters/products"), 200);
    assertThat(body.at("/warnings/0").asString()).contains("armed again, not rebuilt");
    assertThat(audit(output)).anySatisfy(line -> assertThat(line).contains("forced arm of filter"));

    report("products", "row");
    assertThat(state("products")).isEqualTo("DISARMED");
    products.requestRebuild(RebuildTrigger.FILL);
    assertThat(state("products"))
        .as("one that it did by itself arms nothing")
        .isEqualTo("DISARMED");
    assertThat(products.rollback()).isTrue();
    problem(post("products", "{\"action\":\"arm\"}"), 409);
    products.requestRebuild(RebuildTrigger.FILL);
    json(post("products", "{\"action\":\"arm\"}"), 202);
    assertThat(json(get("/actuator/bloomfilters/products"), 200).has("warnings")).isFalse();
  }

  @Test
  void aFilterThatCannotBeRebuiltIsArmedOnceItHasEveryProvenKey() throws Exception {
    report("added", "row");
    report("added", "other");
    assertThat(problem(post("added", "{\"action\":\"arm\"}"), 409))
        .contains("add the keys, then arm")
        .contains("force to arm all the same")
        .doesNotContain("row", "other");
    FilterStore store = filters.operated().find("added").orElseThrow().filter().store();
    store.addAll(List.of("row", "another"));
    problem(post("added", "{\"action\":\"arm\"}"), 409);
    store.addAll(List.of("other"));
    json(post("added", "{\"action\":\"arm\"}"), 202);
    assertThat(state("added")).isEqualTo("READY");
    assertThat(store.enforcement().proof()).isEqualTo(Enforcement.Proof.NONE);
  }

  @Test
  void disarmsAndArmsWithoutAWrongRejection() throws Exception {
    assertThat(json(post("added", "{\"action\":\"disarm\"}"), 202).toString())
        .isEqualTo("{\"state\":\"DISARMED\",\"mode\":\"enforce\"}");
    assertThat(json(get("/actuator/bloomfilters/added"), 200).at("/warnings/0").asString())
        .contains("disarmed");
    assertThat(problem(post("added", "{\"action\":\"disarm\",\"force\":true}"), 400))
        .contains("'force'");
    json(post("added", "{\"action\":\"arm\"}"), 202);
    assertThat(state("added")).isEqualTo("READY");
  }

  private void report(String filter, String key) {
    filters
        .operated()
        .find(filter)
        .orElseThrow()
        .guarded()
        .verification()
        .report(List.of(key), EntryPoint.API, "");
  }

  private String state(String filter) throws Exception {
    return json(get("/actuator/bloomfilters/" + filter), 200).path("state").asString();
  }

  @Test
  void answers503WhileTheStoreIsOutOfReach() throws Exception {
    for (String action : List.of("rebuild", "rollback", "arm", "observe", "enforce")) {
      HttpResponse<String> answer = post("away", "{\"action\":\"" + action + "\"}");
      assertThat(problem(answer, 503)).contains("store", "not connected");
      assertThat(answer.headers().firstValue("Retry-After")).contains("5");
    }
    HttpResponse<String> answer = delete("away/rebuild");
    assertThat(problem(answer, 503)).contains("store", "not connected");
    assertThat(answer.headers().firstValue("Retry-After")).contains("5");
    JsonNode body = json(get("/actuator/bloomfilters/away"), 200);
    assertThat(body.path("state").asString()).isEqualTo("DOUBTFUL");
    assertThat(body.at("/rebuild/running").asBoolean()).isFalse();
  }

  @Test
  void rollsBackToAnOlderGenerationOrAnswers409() throws Exception {
    assertThat(problem(post("added", "{\"action\":\"rollback\"}"), 409)).contains("older");
    filters.operated().find("products").orElseThrow().filter().requestRebuild(RebuildTrigger.FILL);
    filters.operated().find("products").orElseThrow().filter().requestRebuild(RebuildTrigger.FILL);
    JsonNode done = json(post("products", "{\"action\":\"rollback\"}"), 202);
    assertThat(done.path("generation").asLong()).isEqualTo(1);
  }

  @Test
  void cancelsARunningRebuildOnly() throws Exception {
    assertThat(problem(delete("slow/rebuild"), 404)).contains("No rebuild");
    assertThat(problem(delete("slow/filter"), 404)).contains("rebuild");
    assertThat(problem(delete("nope/rebuild"), 404)).contains("No rebuild");

    post("slow", "{\"action\":\"rebuild\"}");
    gated.awaitReading();
    HttpResponse<String> cancelled = delete("slow/rebuild");
    assertThat(cancelled.statusCode()).isEqualTo(204);
    assertThat(cancelled.body()).isEmpty();
    gated.open();
    await()
        .untilAsserted(
            () ->
                assertThat(
                        json(get("/actuator/bloomfilters/slow"), 200)
                            .at("/lastRebuild/outcome")
                            .asString())
                    .isEqualTo("cancelled"));
  }

  @Test
  void explainsAKeyWithItsBitsAndItsCacheEntry() throws Exception {
    post("products", "{\"action\":\"rebuild\"}");
    BloomGuard<Object> guard = guard("products");
    guard.get(42L, () -> "a product");
    Map<Outcome, Long> before = outcomes();

    JsonNode present = json(post("products", "{\"action\":\"explain\",\"key\":\"42\"}"), 200);
    assertThat(present.path("key").asString()).isEqualTo("42");
    assertThat(present.path("membership").asString()).isEqualTo("POSSIBLY_PRESENT");
    assertThat(present.path("bits").size())
        .isEqualTo(
            filters.operated().find("products").orElseThrow().filter().status().shape().hashes());
    assertThat(present.path("bits"))
        .allSatisfy(
            bit -> {
              assertThat(bit.path("position").isIntegralNumber()).isTrue();
              assertThat(bit.path("set").asBoolean()).isTrue();
            });
    assertThat(present.path("cached").booleanValue()).isTrue();
    assertThat(present.path("nullEntry").booleanValue()).isFalse();

    JsonNode absent = json(post("products", "{\"action\":\"explain\",\"key\":43}"), 200);
    assertThat(absent.path("membership").asString()).isEqualTo("ABSENT");
    assertThat(absent.path("reason").asString()).isNotBlank().doesNotContain("43");
    assertThat(absent.path("cached").booleanValue()).isFalse();
    assertThat(outcomes()).isEqualTo(before);
  }

  @Test
  void explainsNoInvalidOrMissingKey() throws Exception {
    assertThat(problem(post("products", "{\"action\":\"explain\"}"), 400)).contains("'key'");
    String tooLong = "x".repeat(257);
    assertThat(
            problem(post("products", "{\"action\":\"explain\",\"key\":\"" + tooLong + "\"}"), 400))
        .contains("256")
        .doesNotContain(tooLong);
  }

  @Test
  void allowsNoWritesByDefault() throws Exception {
    server = serve();
    assertThat(get("/actuator/bloomfilters/products").statusCode()).isEqualTo(200);
    assertThat(post("products", "{\"action\":\"rebuild\"}").statusCode()).isEqualTo(405);
    assertThat(delete("products/rebuild").statusCode()).isIn(404, 405);
    assertThat(json(get("/actuator/bloomfilters/products"), 200).has("lastRebuild")).isFalse();
  }

  private static List<String> audit(CapturedOutput output) {
    return output.getAll().lines().filter(line -> line.contains("io.bloomguard.audit")).toList();
  }

  private Map<Outcome, Long> outcomes() {
    Map<Outcome, Long> counts = new EnumMap<>(Outcome.class);
    for (Outcome outcome : Outcome.values()) {
      counts.put(
          outcome,
          filters.operated().find("products").orElseThrow().guarded().counters().count(outcome));
    }
    return counts;
  }

  private BloomGuard<Object> guard(String name) {
    return filters.guards().guard(name, name, ValueType.of(Object.class), EntryPoint.API);
  }

  /** A server of the endpoint of the test that runs at the time of a request. */
  private static ConfigurableApplicationContext serve(String... properties) {
    ApplicationContextInitializer<GenericApplicationContext> beans =
        context -> {
          context.registerBean(
              BloomFiltersEndpoint.class,
              () -> (BloomFiltersEndpoint) ProxyFactory.getProxy(ENDPOINT));
          context.registerBean(
              BloomFiltersWebExtension.class,
              () -> (BloomFiltersWebExtension) ProxyFactory.getProxy(EXTENSION));
        };
    return new SpringApplicationBuilder(App.class)
        .initializers(beans)
        .properties(
            "spring.config.name=none",
            "spring.main.banner-mode=off",
            "logging.level.org=warn",
            "server.port=0",
            "server.address=127.0.0.1",
            "bloomguard.enabled=false",
            "management.endpoints.web.exposure.include=bloomfilters")
        .properties(properties)
        .run();
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send(request(path).build());
  }

  private HttpResponse<String> post(String filter, String body)
      throws IOException, InterruptedException {
    return send(
        request("/actuator/bloomfilters/" + filter)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build());
  }

  private HttpResponse<String> delete(String path) throws IOException, InterruptedException {
    return send(request("/actuator/bloomfilters/" + path).DELETE().build());
  }

  private HttpRequest.Builder request(String path) {
    String port = server.getEnvironment().getRequiredProperty("local.server.port");
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
  }

  private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    return http.send(request, BodyHandlers.ofString());
  }

  private static JsonNode json(HttpResponse<String> answer, int status) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    return JSON.readTree(answer.body());
  }

  private static @Nullable String problem(HttpResponse<String> answer, int status) {
    JsonNode body = json(answer, status);
    assertThat(answer.headers().firstValue("Content-Type"))
        .hasValueSatisfying(type -> assertThat(type).startsWith("application/problem+json"));
    assertThat(body.path("status").asInt()).isEqualTo(status);
    return body.path("detail").asString();
  }

  /** Nobody has to log in, though Spring Security is on the class path. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration(
      exclude = {
        DataSourceAutoConfiguration.class,
        ServletWebSecurityAutoConfiguration.class,
        ManagementWebSecurityAutoConfiguration.class
      })
  static class App {}
}

package io.bloomguard.server;

import static io.bloomguard.server.RunningServer.json;
import static io.bloomguard.server.RunningServer.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import tools.jackson.databind.JsonNode;

/** The server with filters of a user's configuration. */
@ExtendWith(OutputCaptureExtension.class)
class ConfiguredServerTest {

  private static final String ENDPOINT = "/actuator/bloomfilters/";
  private static final String REBUILD = "{\"action\":\"rebuild\"}";

  @TempDir private Path directory;

  @Test
  void blockingWarmUpIsReadyBeforeThePortAnswers() throws Exception {
    Path keys = Files.write(directory.resolve("keys.txt"), List.of("a", "b"));
    try (RunningServer server =
        new RunningServer(
            "bloomguard.filters.names.source.file.path=" + keys,
            "bloomguard.filters.names.warm-up.mode=blocking")) {
      assertThat(state(server, "names")).isEqualTo("READY");
      assertThat(check(server, "names", "\"a\",\"c\""))
          .containsExactly("POSSIBLY_PRESENT", "ABSENT");
    }
  }

  @Test
  void closedFilterWithoutAWarmUpAnswers503UntilAnOperatorBuildsIt() throws Exception {
    Path keys = Files.write(directory.resolve("keys.txt"), List.of("1"));
    try (RunningServer server =
        new RunningServer(
            "bloomguard.filters.names.source.file.path=" + keys,
            "bloomguard.filters.names.warm-up.mode=none",
            "bloomguard.filters.names.on-unknown=closed",
            "bloomguard.filters.names.rebuild.cooldown=1h",
            "bloomguard.web.rules[0].pattern=/things/{id}",
            "bloomguard.web.rules[0].filter=names",
            "bloomguard.web.rules[0].key=id")) {
      assertThat(state(server, "names")).isEqualTo("EMPTY");
      HttpResponse<String> shed = server.get("/things/7");
      problem(shed, 503);
      assertThat(shed.headers().firstValueAsLong("Retry-After").orElse(0)).isPositive();
      assertThat(json(server.get("/actuator/health"), 503).path("status").asString())
          .isEqualTo("OUT_OF_SERVICE");

      String run = json(server.post(ENDPOINT + "names", REBUILD), 202).path("run").asString();
      await()
          .until(
              () ->
                  json(server.get(ENDPOINT + "names"), 200)
                      .at("/lastRebuild/run")
                      .asString("")
                      .equals(run));
      assertThat(problem(server.get("/things/7"), 404))
          .isEqualTo("There is nothing with this key.");
      json(server.get("/actuator/health"), 200);
      problem(server.post(ENDPOINT + "names", REBUILD), 429);
      problem(server.post(ENDPOINT + "nmaes", REBUILD), 404);
      problem(server.post(ENDPOINT + "names", "{\"action\":\"remake\"}"), 400);
      assertThat(outcomes(server, "names")).isEqualTo(2);
    }
  }

  @Test
  void readinessKnowsFiltersOnlyWhereItIsToldSo() throws Exception {
    String[] closed = {
      "bloomguard.filters.names.source.file.path="
          + Files.write(directory.resolve("keys.txt"), List.of("1")),
      "bloomguard.filters.names.warm-up.mode=none",
      "bloomguard.filters.names.on-unknown=closed"
    };
    String readiness = "/actuator/health/readiness";
    try (RunningServer server = new RunningServer(closed)) {
      assertThat(json(server.get(readiness), 200).path("status").asString()).isEqualTo("UP");
      json(server.get("/actuator/health/bloomguard"), 503);
    }
    String[] told = Arrays.copyOf(closed, closed.length + 1);
    told[closed.length] =
        "management.endpoint.health.group.readiness.include=readinessState,bloomguard";
    try (RunningServer server = new RunningServer(told)) {
      JsonNode notReady = json(server.get(readiness), 503);
      assertThat(notReady.path("status").asString()).isEqualTo("OUT_OF_SERVICE");
      assertThat(notReady.at("/components/bloomguard/details/names/state").asString())
          .isEqualTo("EMPTY");
      json(server.get("/actuator/health/liveness"), 200);

      json(server.post(ENDPOINT + "names", REBUILD), 202);
      await().until(() -> server.get(readiness).statusCode() == 200);
    }
  }

  @Test
  void filterOfAddedKeysOnlyHoldsWhatIsAddedAndRefusesARebuild() throws Exception {
    try (RunningServer server =
        new RunningServer("bloomguard.filters.added.source.added-only=true")) {
      assertThat(check(server, "added", "42")).containsExactly("ABSENT");
      json(server.post("/v1/filters/added/keys", "{\"keys\":[42]}"), 200);
      problem(server.post(ENDPOINT + "added", REBUILD), 409);
      assertThat(check(server, "added", "42")).containsExactly("POSSIBLY_PRESENT");
    }
  }

  @Test
  void filterWithoutASourceKnowsNothing(CapturedOutput output) throws Exception {
    try (RunningServer server =
        new RunningServer("bloomguard.filters.forgotten.expected-insertions=1000")) {
      json(server.post("/v1/filters/forgotten/keys", "{\"keys\":[42]}"), 200);
      assertThat(check(server, "forgotten", "42,43")).containsExactly("UNKNOWN", "UNKNOWN");
      problem(server.post(ENDPOINT + "forgotten", REBUILD), 409);
      assertThat(json(server.get(ENDPOINT + "forgotten"), 200).path("state").asString())
          .isEqualTo("EMPTY");
      assertThat(output).contains("bloomguard.filters.forgotten.source.added-only: true");
    }
  }

  @Test
  void ruleRejectsBeforeTheHandlerAndOutcomesSumToTheTraffic() throws Exception {
    int requests = 200;
    try (RunningServer server =
        new RunningServer(
            "bloomguard.filters.ids.expected-insertions=1000",
            "bloomguard.filters.ids.source.added-only=true",
            "bloomguard.web.rules[0].pattern=/handled/{id}",
            "bloomguard.web.rules[0].filter=ids",
            "bloomguard.web.rules[0].key=id",
            "bloomguard.web.rules[0].type=long")) {
      json(server.post("/v1/filters/ids/keys", "{\"keys\":[0,1,2,3,4,5,6,7,8,9]}"), 200);
      long added = outcomes(server, "ids");
      SplittableRandom random = new SplittableRandom(42);
      int passed = 0;
      for (int i = 0; i < requests; i++) {
        String detail = problem(server.get("/handled/" + random.nextInt(40)), 404);
        // What passes is not found by Spring MVC, which has no such handler.
        passed += detail.equals("There is nothing with this key.") ? 0 : 1;
      }
      JsonNode outcomes = json(server.get(ENDPOINT + "ids"), 200).path("outcomes");
      assertThat(outcomes(server, "ids") - added).isEqualTo(requests);
      assertThat(outcomes.path("passed").asLong()).isEqualTo(passed);
      assertThat(outcomes.path("rejected").asLong()).isEqualTo(requests - passed);
      String scrape = server.get("/actuator/prometheus").body();
      assertThat(scrape)
          .contains(
              "bloomguard_requests_total{entry=\"web\",filter=\"ids\",outcome=\"passed\"} "
                  + (double) passed)
          .contains(
              "bloomguard_filter_fill_ratio{filter=\"ids\"}",
              "bloomguard_filter_fpp_ratio{filter=\"ids\",kind=\"configured\"} 0.001",
              "bloomguard_filter_elements{filter=\"ids\"}",
              "bloomguard_filter_capacity{filter=\"ids\"} 1000.0",
              "bloomguard_filter_size_bytes{filter=\"ids\"}",
              "bloomguard_filter_state{filter=\"ids\",state=\"ready\"} 1.0",
              "bloomguard_rebuild_progress_ratio{filter=\"ids\"}",
              "bloomguard_rebuild_last_success_timestamp_seconds{filter=\"ids\"} 0.0",
              "bloomguard_mutex_wait_seconds_count{filter=\"ids\",outcome=\"acquired\"}",
              "bloomguard_load_seconds_count{filter=\"ids\",outcome=\"found\"}",
              "bloomguard_rebuild_seconds_count{filter=\"ids\"",
              "bloomguard_rebuild_active_seconds");
    }
  }

  @Test
  void closingCancelsABuildOfARealDatabase() {
    String url = "jdbc:h2:mem:closing;LAZY_QUERY_EXECUTION=1";
    RunningServer server =
        new RunningServer(
            "spring.datasource.url=" + url,
            "bloomguard.filters.many.source.jdbc.query="
                + "select x from system_range(1, 100000000000)",
            "bloomguard.filters.many.source.jdbc.fetch-size=100");
    try {
      // The count of so many rows is given up first.
      await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () -> json(server.get(ENDPOINT + "many"), 200).at("/rebuild/scanned").asLong() > 0);
    } finally {
      server.close();
    }
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .noneMatch(name -> name.startsWith("bloomguard-build-"));
  }

  private static String state(RunningServer server, String filter) throws Exception {
    return json(server.get(ENDPOINT + filter), 200).path("state").asString();
  }

  private static List<String> check(RunningServer server, String filter, String keys)
      throws Exception {
    String body = "{\"keys\":[" + keys + "]}";
    return json(server.post("/v1/filters/" + filter + "/check", body), 200)
        .path("results")
        .valueStream()
        .map(JsonNode::asString)
        .toList();
  }

  private static long outcomes(RunningServer server, String filter) throws Exception {
    JsonNode outcomes = json(server.get(ENDPOINT + filter), 200).path("outcomes");
    return StreamSupport.stream(outcomes.spliterator(), false).mapToLong(JsonNode::asLong).sum();
  }
}

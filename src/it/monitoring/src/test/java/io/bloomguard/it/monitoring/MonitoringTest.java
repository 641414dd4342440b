package io.bloomguard.it.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.bloomguard.it.support.Processes;
import io.bloomguard.it.support.Program;
import io.bloomguard.it.support.RedisProcess;
import io.bloomguard.it.support.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * A real Prometheus scrapes the real server, which somebody floods and whose Redis then goes away.
 */
class MonitoringTest {

  private static final Duration LONG = Duration.ofMinutes(2);
  private static final String RULE = "recording";
  private static final int BATCH = 1_000;

  @Test
  void rulesAndDashboardSeeWhatHappensAndAlertsFireWhenTheyShould() throws Exception {
    Program program = Required.program("prometheus", "prometheus");
    Path work = Files.createTempDirectory(workDirectory(), "run");
    try (RedisProcess redis = new RedisProcess("redis");
        ServerProcess server = new ServerProcess("server", arguments(redis));
        PrometheusProcess prometheus =
            new PrometheusProcess(program, work, Processes.freePort(), server.address())) {
      await().atMost(LONG).until(() -> status(server).get("state").asString().equals("READY"));
      await().atMost(LONG).ignoreExceptions().until(() -> isSeen(prometheus));
      rebuild(server);
      fill(server);
      assertThat(prometheus.firing()).isEmpty();

      try (Traffic traffic = new Traffic(server.address())) {
        traffic.start();
        await()
            .atMost(LONG)
            .untilAsserted(
                () -> assertThat(prometheus.firing()).contains("RejectSurge", "NearCapacity"));
        assertThat(prometheus.firing())
            .doesNotContain("FilterMissing", "RebuildFailed", "RebuildStale", "ReplicaLag");
        everyRuleHasSeries(prometheus);
        everyPanelHasSeries(prometheus);
        theDesignFillIsTheServers(prometheus, server);

        redis.kill();
        await()
            .atMost(LONG)
            .untilAsserted(
                () -> assertThat(prometheus.firing()).contains("BypassActive", "FilterMissing"));
        System.out.println(
            "RESULT fired under a flood RejectSurge, NearCapacity; without Redis BypassActive,"
                + " FilterMissing");
      }
    }
  }

  private static List<String> arguments(RedisProcess redis) {
    List<String> arguments = new ArrayList<>(redis.arguments());
    arguments.add("--bloomguard.backend=redis");
    arguments.add("--bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f");
    return arguments;
  }

  private static boolean isSeen(PrometheusProcess prometheus) throws Exception {
    return prometheus.query("bloomguard_filter_state{state=\"ready\"} == 1").size() == 1;
  }

  private static void rebuild(ServerProcess server) throws Exception {
    Json.post(
        server.address().resolve("/actuator/bloomfilters/products"), Map.of("action", "rebuild"));
    await().atMost(LONG).until(() -> status(server).get("generation").asLong() == 2);
  }

  /** Adds keys until the filter holds 83 % of what it is made for. */
  private static void fill(ServerProcess server) {
    for (int batch = 0; batch < 66; batch++) {
      int first = 2_000_000 + batch * BATCH;
      List<String> keys =
          IntStream.range(first, first + BATCH).mapToObj(Integer::toString).toList();
      // Redis may be too slow for a moment: 503, and who adds tries again.
      await()
          .atMost(LONG)
          .untilAsserted(
              () ->
                  Json.post(
                      server.address().resolve("/v1/filters/products/keys"), Map.of("keys", keys)));
    }
  }

  private static void everyRuleHasSeries(PrometheusProcess prometheus) throws Exception {
    List<JsonNode> rules = prometheus.rules();
    assertThat(rules).hasSizeGreaterThan(15);
    for (JsonNode rule : rules) {
      assertThat(rule.get("health").asString()).as(rule.toString()).isEqualTo("ok");
      if (rule.get("type").asString().equals(RULE)) {
        hasSeries(prometheus, rule.get("name").asString());
        hasSeries(prometheus, rule.get("query").asString());
      }
    }
  }

  private static void everyPanelHasSeries(PrometheusProcess prometheus) throws Exception {
    Dashboard dashboard = Dashboard.read();
    Map<String, List<String>> queries = dashboard.queries();
    assertThat(queries.keySet())
        .containsExactly(
            "Traffic by outcome",
            "Protection",
            "Filter health",
            "Rebuild",
            "Mutex",
            "Redis",
            "JVM",
            Dashboard.CLASSIC_SYSTEMS,
            Dashboard.CHANGES);
    for (String query : queries.remove(Dashboard.CHANGES)) {
      prometheus.query(query); // It is one; there are no series.
    }
    queries.remove(Dashboard.CLASSIC_SYSTEMS);
    List<String> all = queries.values().stream().flatMap(List::stream).toList();
    for (String query : all) {
      hasSeries(prometheus, query);
    }
    assertThat(prometheus.values(dashboard.variables().get(0))).containsExactly("products");
    assertThat(prometheus.values(dashboard.variables().get(1))).hasSize(1);
    System.out.printf("RESULT queries of the dashboard with series: %d%n", all.size());
  }

  static void hasSeries(PrometheusProcess prometheus, String query) {
    await()
        .alias(query)
        .atMost(LONG)
        .untilAsserted(() -> assertThat(prometheus.query(query)).as(query).isNotEmpty());
  }

  private static void theDesignFillIsTheServers(PrometheusProcess prometheus, ServerProcess server)
      throws Exception {
    double computed =
        prometheus
            .query("filter:bloomguard_filter_fill:design_ratio")
            .get(0)
            .get("value")
            .get(1)
            .asDouble();
    double design = status(server).get("designFillRatio").asDouble();
    assertThat(computed).isCloseTo(design, within(0.01 * design));
  }

  private static JsonNode status(ServerProcess server) throws Exception {
    return Json.get(server.address().resolve("/actuator/bloomfilters/products"));
  }

  static Path workDirectory() throws IOException {
    return Files.createDirectories(Path.of(System.getProperty("it.work")));
  }
}

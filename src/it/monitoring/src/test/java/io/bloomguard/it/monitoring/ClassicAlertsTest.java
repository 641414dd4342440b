package io.bloomguard.it.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.it.support.Processes;
import io.bloomguard.it.support.Program;
import io.bloomguard.it.support.RedisProcess;
import io.bloomguard.it.support.ServerProcess;
import java.net.URI;
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
 * A filter of each classic system that needs no module, filled as it is meant to be and under the
 * traffic that it is for: Prometheus fires no alert, and the dashboard's row shows them.
 */
class ClassicAlertsTest {

  private static final Duration LONG = Duration.ofMinutes(2);

  /** Keys that a window and a bitmap are made for; the others have room for more. */
  private static final int KEYS = 2_000;

  private static final List<String> FILTERS =
      List.of("window", "bitmap", "counting", "guava", "blacklist", "subjects");

  @Test
  void noAlertFiresInTheNormalStateAndEveryPanelHasSeries() throws Exception {
    Program program = Required.program("prometheus", "prometheus");
    Path work = Files.createTempDirectory(MonitoringTest.workDirectory(), "classics");
    try (RedisProcess redis = new RedisProcess("classics-redis");
        ServerProcess server = new ServerProcess("classics", arguments(redis));
        PrometheusProcess prometheus =
            new PrometheusProcess(program, work, Processes.freePort(), server.address())) {
      // The bitmap is there once it was added to.
      add(server, "bitmap", 0, 1);
      for (String filter : FILTERS) {
        await()
            .alias(filter)
            .atMost(LONG)
            .until(() -> state(server, filter).get("state").asString().equals("READY"));
      }
      // What forgets by itself is as full as it is made for, all others half.
      FILTERS.forEach(
          filter -> add(server, filter, 0, filter.equals("subjects") ? KEYS / 2 : KEYS));
      assertThat(state(server, "window").get("estimatedElements").asInt()).isGreaterThan(1_900);
      assertThat(state(server, "bitmap").get("fillRatio").asDouble()).isGreaterThan(0.4);

      await().atMost(LONG).until(() -> isAsked(server, prometheus));
      assertThat(prometheus.firing()).isEmpty();
      for (int evaluation = 0; evaluation < 5; evaluation++) {
        double before = evaluated(prometheus);
        await()
            .atMost(LONG)
            .until(
                () -> {
                  ask(server);
                  return evaluated(prometheus) > before;
                });
        assertThat(prometheus.firing()).isEmpty();
      }
      for (String query : Dashboard.read().queries().get(Dashboard.CLASSIC_SYSTEMS)) {
        MonitoringTest.hasSeries(prometheus, query);
      }
    }
  }

  private static List<String> arguments(RedisProcess redis) {
    List<String> arguments = new ArrayList<>(redis.arguments());
    arguments.add("--bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f");
    for (String setting :
        List.of(
            "window.backend=redis",
            "window.window.length=1h",
            "window.window.count=3",
            "bitmap.backend=redis-bitmap",
            "bitmap.bitmap.key=rptc",
            "bitmap.bitmap.bits=8600",
            "bitmap.bitmap.hashes=bkdr,sdbm,js",
            "bitmap.bitmap.create=true",
            "bitmap.bitmap.allow-clear=true",
            "bitmap.rotate-at-fill=0.6",
            "counting.layout=counting",
            "counting.source.added-only=true",
            "guava.layout=guava",
            "guava.source.added-only=true",
            "blacklist.source.added-only=true",
            "blacklist.reject=present",
            "blacklist.on-unknown=open",
            "subjects.backend=redis",
            "subjects.per-subject.max-subjects=100")) {
      arguments.add("--bloomguard.filters." + setting);
    }
    for (String filter : List.of("window", "subjects")) {
      arguments.add("--bloomguard.filters." + filter + ".expected-insertions=" + KEYS);
    }
    for (String filter : List.of("counting", "guava", "blacklist")) {
      arguments.add("--bloomguard.filters." + filter + ".expected-insertions=" + 2 * KEYS);
    }
    return arguments;
  }

  /** Whether the rates of all filters are recorded, so that each alert could fire. */
  private static boolean isAsked(ServerProcess server, PrometheusProcess prometheus)
      throws Exception {
    ask(server);
    return prometheus.query("filter:bloomguard_requests:rate5m > 10").size() == FILTERS.size();
  }

  /** When the alert of the rejections was evaluated last. */
  private static double evaluated(PrometheusProcess prometheus) throws Exception {
    return prometheus
        .query("timestamp(filter:bloomguard_filter_elements:ratio_of_capacity{filter=\"window\"})")
        .get(0)
        .get("value")
        .get(1)
        .asDouble();
  }

  /** What remembers is asked for new keys, what knows for known ones, a blacklist for others. */
  private static void ask(ServerProcess server) {
    check(server, "window", KEYS / 2, 2 * KEYS);
    check(server, "bitmap", 0, KEYS);
    check(server, "counting", 0, KEYS);
    check(server, "guava", 0, KEYS);
    check(server, "blacklist", KEYS, 2 * KEYS);
    check(server, "subjects", KEYS / 2, 2 * KEYS);
    call(server, "subjects/nothing-added/check", KEYS, 2 * KEYS);
  }

  private static void check(ServerProcess server, String filter, int from, int to) {
    call(server, path(filter) + "/check", from, to);
  }

  private static void add(ServerProcess server, String filter, int from, int to) {
    call(server, path(filter) + "/keys", from, to);
  }

  private static String path(String filter) {
    return filter.equals("subjects") ? "subjects/anna" : filter;
  }

  /** Redis may be too slow for a moment: 503, and the caller tries again. */
  private static void call(ServerProcess server, String path, int from, int to) {
    URI address = server.address().resolve("/v1/filters/" + path);
    List<String> keys = IntStream.range(from, to).mapToObj(Integer::toString).toList();
    await().atMost(LONG).untilAsserted(() -> Json.post(address, Map.of("keys", keys)));
  }

  private static JsonNode state(ServerProcess server, String filter) throws Exception {
    return Json.get(server.address().resolve("/actuator/bloomfilters/" + filter));
  }
}

package io.bloomguard.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.actuate.BloomFiltersWebExtension.Problem;
import io.bloomguard.actuate.internal.OperatedFilter;
import io.bloomguard.actuate.internal.OperatedFilters;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.WarmUpMode;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.generation.internal.build.RebuildListener;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.GuardedFilters;
import io.bloomguard.guard.TestSettings;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.generation.RedisTestBase;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.Reference;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** What an operator sees and does is the same at each of two processes that share a filter. */
class ClusterOperationsTest extends RedisTestBase {

  private static final long KEYS = 4_000;

  private ExecutorService background;
  private Semaphore steps;
  private Node here;
  private Node there;

  @BeforeEach
  void begin() {
    background = Executors.newCachedThreadPool();
    steps = new Semaphore(0);
    here = new Node(first);
    there = new Node(second);
  }

  @AfterEach
  void end() {
    background.shutdownNow();
    Reference.reachabilityFence(here.meters);
    Reference.reachabilityFence(there.meters);
  }

  @Test
  void aBuildIsSeenAndTimedAtBothProcesses() {
    assertThat(there.gauge(BloomMetricNames.REBUILD_LAST_SUCCESS)).isZero();
    Object run = ((EndpointAnswer) here.act("rebuild", 202)).get("run");
    steps.release((int) (KEYS / 2));
    for (Node node : List.of(here, there)) {
      await().until(() -> node.rebuild().get("scanned").equals(KEYS / 2));
      Map<String, Object> rebuild = node.rebuild();
      assertThat(rebuild).containsEntry("running", true);
      assertThat(rebuild).containsEntry("run", run).containsEntry("total", KEYS);
      assertThat((double) rebuild.get("ratePerSecond")).isPositive();
      assertThat((double) rebuild.get("etaSeconds")).isPositive();
      assertThat(node.read()).containsEntry("state", FilterState.WARMING);
      assertThat(((Problem) node.act("rebuild", 409)).run()).isEqualTo(run);
      await().until(() -> node.gauge(BloomMetricNames.REBUILD_PROGRESS) == 0.5);
    }

    steps.release((int) KEYS);
    await().until(() -> !here.isBuilding() && here.last() != null);
    for (Node node : List.of(here, there)) {
      Map<String, Object> last = node.last();
      assertThat(last).isEqualTo(here.last());
      assertThat(last).containsEntry("run", run).containsEntry("keys", KEYS);
      assertThat(last).containsEntry("outcome", "succeeded").containsEntry("trigger", "request");
      assertThat(node.isBuilding()).isFalse();
      assertThat(((Problem) node.act("rebuild", 429)).run()).isEqualTo(run);
      double ended = ((Instant) last.get("finished")).toEpochMilli() / 1000.0;
      await().until(() -> node.gauge(BloomMetricNames.REBUILD_LAST_SUCCESS) == ended);
      await().until(() -> node.gauge(BloomMetricNames.REBUILD_PROGRESS) == 0);
    }
  }

  /** In real time: a build looks once a second whether it is cancelled. */
  @Tag("waits")
  @Test
  void aBuildIsCancelledAtTheOtherProcess() {
    there.cancel(404);
    here.act("rebuild", 202);
    steps.release(1);
    there.cancel(204);
    // A key now and then, as of a slow source: a build stops at its next one.
    await()
        .until(
            () -> {
              steps.release(1);
              return there.last() != null && !there.isBuilding();
            });
    assertThat(there.last()).containsEntry("outcome", "cancelled");
    assertThat(there.read()).containsEntry("state", FilterState.EMPTY);
    assertThat(images()).isEmpty();
    there.cancel(404);
    here.cancel(404);
  }

  @Test
  void aRollbackAtOneProcessIsSeenAtTheOther() {
    there.act("rollback", 409);
    build(store(first), SHAPE, numbers(0, 10));
    there.act("rollback", 409);
    build(store(first), SHAPE, numbers(0, 20));
    assertThat((EndpointAnswer) there.act("rollback", 202)).containsEntry("generation", 1L);
    assertThat(here.read()).containsEntry("generation", 1L);
    here.act("rollback", 409);
    assertThat(there.read()).containsEntry("generation", 1L);
  }

  /** One process as its operator meets it. */
  private final class Node {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final BloomFiltersWebExtension endpoint;
    private final BloomMeters meters;

    Node(RedisConnections connections) {
      FilterSettings settings =
          TestGenerations.settings(
              filter,
              Layout.BLOCKED,
              20_000,
              0.001,
              WarmUpMode.NONE,
              Duration.ofMinutes(1),
              0.6,
              new KeyRules(64));
      ManagedFilter managed =
          TestGenerations.managed(
              settings,
              store(connections),
              new SteppedSource(),
              background,
              InstantSource.system(),
              RebuildListener.NONE);
      CacheSettings cache =
          TestSettings.cache(
              Duration.ofMinutes(1), Duration.ofSeconds(30), 0, 10, 10, Duration.ofSeconds(10));
      OperatedFilters filters =
          new OperatedFilters(
              List.of(
                  new OperatedFilter(
                      managed,
                      GuardedFilters.operated(managed, UnknownPolicy.OPEN, new OutcomeCounters()),
                      () -> new LocalValueCache(cache, null))));
      endpoint = new BloomFiltersWebExtension(new BloomFiltersEndpoint(filters));
      meters = new BloomMeters(filters);
      meters.bindTo(registry);
    }

    EndpointAnswer read() {
      return (EndpointAnswer) body(endpoint.filter(filter), 200);
    }

    EndpointAnswer rebuild() {
      return (EndpointAnswer) read().get("rebuild");
    }

    boolean isBuilding() {
      return (boolean) rebuild().get("running");
    }

    EndpointAnswer last() {
      return (EndpointAnswer) read().get("lastRebuild");
    }

    OperationResponseBody act(String action, int status) {
      return body(
          endpoint.act(SecurityContext.NONE, filter, action, null, null, null, null), status);
    }

    void cancel(int status) {
      assertThat(endpoint.cancel(SecurityContext.NONE, filter, "rebuild").getStatus())
          .isEqualTo(status);
    }

    double gauge(String name) {
      return registry.get(name).gauge().value();
    }

    private static OperationResponseBody body(
        WebEndpointResponse<OperationResponseBody> answer, int status) {
      OperationResponseBody body = answer.getBody();
      assertThat(answer.getStatus()).as("%s", body).isEqualTo(status);
      return body;
    }
  }

  /** A key for each permit. */
  private final class SteppedSource implements KeySource {

    private final Semaphore permits = steps;

    @Override
    public void forEach(KeySink sink) throws Exception {
      for (long key = 0; key < KEYS; key++) {
        permits.acquire();
        sink.accept(key);
      }
    }

    @Override
    public OptionalLong count() {
      return OptionalLong.of(KEYS);
    }
  }
}

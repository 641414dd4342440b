package io.bloomguard.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.actuate.TestFilters;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.FilterState;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.PendingAdd;
import io.bloomguard.guard.SlowCopies;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.StepProxy;
import io.bloomguard.redis.TestRedisFilters;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.store.RedisGenerationStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * What the membership API waits for, whose callers wait anyway. In real time: the answers of Redis
 * come through a proxy that is slow.
 */
@Tag("waits")
@Tag("redis")
@Tag("thorough")
@Tag("long")
class ApiPatienceTest {

  private static final FilterShape SHAPE = Sizing.shape(Layout.BLOCKED, 1_000, 0.001);
  private static final HashSecret SECRET = HashSecret.parse("00112233445566778899aabbccddeeff");

  /** That of a request. */
  private static final Duration CHECK = Duration.ofMillis(20);

  @Test
  void aSlowRedisAnswersTheApiAndLeavesAGuardUnknown() throws Exception {
    try (EmbeddedRedis redis = new EmbeddedRedis();
        // It takes some 150 ms for an answer.
        StepProxy proxy = new StepProxy(redis.port());
        RedisConnections late =
            new RedisConnections(new LettuceConnectionFactory("127.0.0.1", proxy.port()), CHECK)) {
      RedisGenerationStore direct = store(redis.connections());
      direct.serveEmpty(SHAPE);
      await().untilAsserted(() -> assertReady(direct));
      direct.addAll(List.of("1"));
      assertThat(late.awaitConnected(Duration.ofSeconds(20))).isTrue();
      RedisGenerationStore slow = store(late);
      await().untilAsserted(() -> assertReady(slow));
      TestFilters filters = new TestFilters().over("products", slow);

      for (int i = 0; i < 10; i++) {
        assertThat(filters.guards().guard("products").check("1")).isEqualTo(Membership.UNKNOWN);
      }
      assertThat(results(filters)).contains("POSSIBLY_PRESENT").contains("ABSENT");
      assertThat(results(filters, "bloomguard.server.check-timeout=10ms")).contains("UNKNOWN");
    }
  }

  private static String results(TestFilters filters, String... settings) throws Exception {
    String[] all =
        Stream.concat(Stream.of("bloomguard.filters.products.backend=local"), Stream.of(settings))
            .toArray(String[]::new);
    try (RunningServer server = new RunningServer(filters, all)) {
      return server.post("/v1/filters/products/check", "{\"keys\": [\"1\", \"2\"]}").body();
    }
  }

  private static void assertReady(RedisGenerationStore store) {
    store.maintain();
    assertThat(store.status().state()).isEqualTo(FilterState.READY);
  }

  private static RedisGenerationStore store(RedisConnections connections) {
    return new RedisGenerationStore(
        TestRedisFilters.filter(
            "products", SHAPE, connections, "bloomguard", Duration.ofMinutes(10), null),
        SECRET,
        List.of(),
        KeyHash.SIPHASH_1_3,
        KeyFolding.EXACT);
  }

  @Test
  void anAddIsAnsweredOnceCopiesInOtherProcessesHaveIt() throws Exception {
    SlowCopies copies = new SlowCopies();
    MembershipStore shared =
        new MembershipStore() {
          @Override
          public Membership check(String key) {
            return Membership.UNKNOWN;
          }

          @Override
          public boolean[] addEach(List<String> keys) {
            throw new IllegalStateException("The caller would not know the copies");
          }

          @Override
          public PendingAdd beginAdd(List<String> keys) {
            return copies.add("products", new boolean[] {true});
          }
        };
    copies.hold();
    try (RunningServer server =
        new RunningServer(
            new TestFilters().guarding("products", shared),
            "bloomguard.filters.products.backend=local")) {
      CompletableFuture<HttpResponse<String>> added =
          CompletableFuture.supplyAsync(() -> add(server));
      await().until(() -> copies.waiting() == 1);
      assertThat(added).isNotDone();
      copies.tell();
      assertThat(added.get().body()).contains("\"added\":1");
    }
  }

  private static HttpResponse<String> add(RunningServer server) {
    try {
      return server.post("/v1/filters/products/keys", "{\"keys\": [\"1\"]}");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}

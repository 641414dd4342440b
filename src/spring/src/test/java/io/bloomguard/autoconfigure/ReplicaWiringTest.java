package io.bloomguard.autoconfigure;

import static io.bloomguard.redis.EmbeddedRedis.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.EmbeddedRedis;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import redis.embedded.RedisServer;

/** An application with a filter in Redis of which it keeps a copy, and one without. */
@Tag("redis")
class ReplicaWiringTest {

  private static final Duration LONG = Duration.ofMinutes(2);

  /** In real time: a copy's lease ends by the clock of Redis. */
  @Tag("waits")
  @Test
  void theReplicaIsFedAsLongAsTheApplicationRuns() throws Exception {
    int port = freePort();
    RedisServer redis = EmbeddedRedis.server(port).build();
    redis.start();
    try {
      Wiring.application()
          .withConfiguration(Wiring.METERS)
          .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
          .withBean("keys", KeySource.class, () -> sink -> sink.accept("known"))
          .withPropertyValues(
              "spring.data.redis.host=127.0.0.1",
              "spring.data.redis.port=" + port,
              "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
              "bloomguard.backend=redis",
              "bloomguard.redis.command-timeout=2s",
              "bloomguard.filters.items.expected-insertions=1000",
              "bloomguard.filters.items.source.bean=keys",
              "bloomguard.filters.items.replica.lease=1500ms",
              "bloomguard.filters.others.expected-insertions=1000",
              "bloomguard.filters.others.replica.enabled=false")
          .run(
              context -> {
                BloomGuard<String> guard =
                    context.getBean(BloomGuards.class).guard("items", String.class);
                MeterRegistry meters = context.getBean(MeterRegistry.class);
                await().atMost(LONG).until(() -> guard.check("unknown") == Membership.ABSENT);
                await().atMost(LONG).until(() -> lag(meters, "items") < 1);
                assertThat(lag(meters, "others")).isNaN();
                assertThat(feeds()).hasSize(1);

                redis.stop();
                assertThat(guard.checkAll(List.of("known", "unknown")))
                    .containsExactly(Membership.POSSIBLY_PRESENT, Membership.ABSENT);
              });
      await().atMost(LONG).until(() -> feeds().isEmpty());
    } finally {
      redis.stop();
    }
  }

  private static double lag(MeterRegistry meters, String filter) {
    return meters.get("bloomguard.replica.lag").tag("filter", filter).gauge().value();
  }

  private static List<Thread> feeds() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("bloomguard-replica"))
        .toList();
  }
}

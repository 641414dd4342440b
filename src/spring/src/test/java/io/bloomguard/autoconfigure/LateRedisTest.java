package io.bloomguard.autoconfigure;

import static io.bloomguard.redis.EmbeddedRedis.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilter;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.EmbeddedRedis;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import redis.embedded.RedisServer;

/**
 * An application whose Redis comes up after it. In real time: Lettuce looks for a server that is
 * away at intervals, and an application after its filters once a second.
 */
@Tag("waits")
@Tag("redis")
class LateRedisTest {

  private final int port = freePort();
  private RedisServer redis;

  @AfterEach
  void stop() throws IOException {
    if (redis != null) {
      redis.stop();
    }
  }

  @Test
  void answersAreUnknownUntilRedisIsThereAndThenTheFilterWarmsUp() {
    Wiring.application()
        .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
        .withBean("keys", KeySource.class, () -> sink -> sink.accept("known"))
        .withPropertyValues(
            "spring.data.redis.host=127.0.0.1",
            "spring.data.redis.port=" + port,
            "bloomguard.backend=redis",
            "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
            "bloomguard.redis.command-timeout=2s",
            "bloomguard.filters.items.expected-insertions=1000",
            "bloomguard.filters.items.verify.first=0",
            "bloomguard.filters.items.verify.sample=0",
            "bloomguard.filters.items.source.bean=keys")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              BloomGuard<String> guard =
                  context.getBean(BloomGuards.class).guard("items", String.class);
              ConfiguredFilter filter = context.getBean(ConfiguredFilters.class).all().get(0);

              assertThat(guard.checkAll(List.of("known", "unknown")))
                  .containsOnly(Membership.UNKNOWN);
              assertThat(filter.managed().status().state()).isNotEqualTo(FilterState.READY);
              assertThat(guard.get("unknown", () -> "loaded")).isEqualTo("loaded");
              assertThat(guard.getAll(List.of("a"), keys -> Map.of("a", "loaded")))
                  .containsEntry("a", "loaded");
              assertThatThrownBy(() -> guard.put("new")).isInstanceOf(AddFailedException.class);

              start();
              Awaitility.await()
                  .atMost(Duration.ofMinutes(1))
                  .until(() -> guard.check("unknown") == Membership.ABSENT);

              assertThat(guard.check("known")).isEqualTo(Membership.POSSIBLY_PRESENT);
              assertThat(guard.put("new")).isTrue();
              assertThat(guard.get("new", () -> "loaded")).isEqualTo("loaded");
              assertThat(guard.get("new", () -> "loaded again")).isEqualTo("loaded");
              assertThat(guard.get("unknown", () -> "loaded")).isNull();
              assertThat(filter.managed().status().state()).isEqualTo(FilterState.READY);
            });
  }

  @Test
  void blockingWarmUpWithoutRedisBlamesRedisAndNotTheSource() {
    FailureAnalysis failure =
        Wiring.failure(
            Wiring.application()
                .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
                .withBean("keys", KeySource.class, () -> sink -> sink.accept("known"))
                .withPropertyValues(
                    "spring.data.redis.host=127.0.0.1",
                    "spring.data.redis.port=" + port,
                    "bloomguard.backend=redis",
                    "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
                    "bloomguard.filters.items.source.bean=keys",
                    "bloomguard.filters.items.warm-up.mode=blocking"));
    assertThat(failure.getDescription()).contains("'items'", "its store is out of reach");
    assertThat(failure.getAction())
        .contains("Redis is up", "spring.data.redis", "'background'")
        .doesNotContain("source");
  }

  private void start() throws IOException {
    redis = EmbeddedRedis.server(port).build();
    redis.start();
  }
}

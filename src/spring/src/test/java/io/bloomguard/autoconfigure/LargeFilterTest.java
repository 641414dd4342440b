package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.EmbeddedRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A filter that no array holds: ten billion keys at 0.01 %. Nothing is built, so none takes it. */
@Tag("redis")
class LargeFilterTest {

  private static final String URLS = "bloomguard.filters.urls.";

  @Test
  void startsInRedis() throws Exception {
    try (EmbeddedRedis redis = new EmbeddedRedis()) {
      urls("redis")
          .withPropertyValues(
              "spring.data.redis.host=127.0.0.1",
              "spring.data.redis.port=" + redis.port(),
              "bloomguard.redis.command-timeout=2s")
          .run(
              context -> {
                assertThat(context).hasNotFailed();
                var filter = context.getBean(ConfiguredFilters.class).all().get(0);
                FilterShape shape = filter.managed().status().shape();
                assertThat(shape.expectedInsertions()).isEqualTo(10_000_000_000L);
                assertThat(shape.sizeBytes()).isGreaterThan(16L << 30);
                assertThat(filter.managed().status().state()).isEqualTo(FilterState.EMPTY);
                assertThat(context.getBean(BloomGuards.class).guard("urls").check("a"))
                    .isEqualTo(Membership.UNKNOWN);
              });
    }
  }

  @Test
  void isRefusedOnTheHeapWithTheBackendThatTakesIt() {
    FailureAnalysis failure = Wiring.failure(urls("local"));
    assertThat(failure.getDescription())
        .contains("bloomguard.filters.urls")
        .contains("10000000000 keys")
        .contains("at most 17179869120 bytes (16 GiB): use `backend: redis`");
    assertThat(failure.getAction()).contains("Set bloomguard.filters.urls.backend to 'redis'");
  }

  private static ApplicationContextRunner urls(String backend) {
    return Wiring.application()
        .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
        .withBean("keys", KeySource.class, () -> sink -> sink.accept("k"))
        .withPropertyValues(
            "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
            URLS + "backend=" + backend,
            URLS + "expected-insertions=10000000000",
            URLS + "false-positive-probability=0.0001",
            URLS + "source.bean=keys",
            URLS + "warm-up.mode=none");
  }
}

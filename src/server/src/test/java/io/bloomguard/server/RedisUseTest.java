package io.bloomguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.health.DataRedisHealthContributorAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** When Redis counts for the server's health. */
class RedisUseTest {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withUserConfiguration(RedisConfiguration.class)
          .withConfiguration(
              AutoConfigurations.of(
                  DataRedisAutoConfiguration.class,
                  DataRedisHealthContributorAutoConfiguration.class));

  @Test
  void doesNotCountWhereNothingUsesIt() {
    runner
        .withPropertyValues(
            "bloomguard.backend=local", "bloomguard.filters.orders.expected-insertions=10")
        .run(context -> assertThat(context).doesNotHaveBean("redisHealthContributor"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bloomguard.backend=redis",
        "bloomguard.backend=REDIS",
        "bloomguard.filters.orders.backend=redis",
        "bloomguard.filters.orders.backend=redis-bloom,bloomguard.filters.orders.bloom.key=orders",
        "management.health.redis.enabled=true",
      })
  void countsWhereSomethingUsesItOrTheUserSaysSo(String property) {
    runner
        .withPropertyValues(property.split(","))
        .run(context -> assertThat(context).hasBean("redisHealthContributor"));
  }
}

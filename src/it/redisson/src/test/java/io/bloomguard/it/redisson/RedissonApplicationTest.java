package io.bloomguard.it.redisson;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.it.support.RedisProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;
import org.redisson.spring.data.connection.RedissonConnectionFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Redisson and Bloomguard in one application, on a Redis that wants a password. */
class RedissonApplicationTest {

  private static final String PASSWORD = "open-sesame";

  @Test
  void bothWork() throws Exception {
    try (RedisProcess redis = new RedisProcess("redis");
        ConfigurableApplicationContext application = run(redis)) {
      assertThat(application.getBean(RedisConnectionFactory.class))
          .isInstanceOf(RedissonConnectionFactory.class);
      assertThat(application.getBean(RedissonClient.class).getKeys().getKeys())
          .as("what Bloomguard keeps in Redis")
          .anyMatch(key -> key.startsWith("bloomguard:{items:"));
      assertThat(application.getBean(BloomGuards.class).guard("items").check(1_001))
          .isEqualTo(Membership.ABSENT);

      Items items = application.getBean(Items.class);
      assertThat(items.find(7)).contains("item 7");
      assertThat(items.find(7)).contains("item 7");
      assertThat(items.loads()).isOne();
      assertThat(items.find(1_001)).isEmpty();
    }
  }

  private static ConfigurableApplicationContext run(RedisProcess redis) throws IOException {
    redis.call("CONFIG", "SET", "requirepass", PASSWORD);
    List<String> arguments = new ArrayList<>(redis.arguments());
    arguments.addAll(
        List.of(
            "--spring.data.redis.password=" + PASSWORD,
            "--bloomguard.backend=redis",
            "--bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
            "--bloomguard.filters.items.expected-insertions=10000",
            "--bloomguard.filters.items.source.bean=itemKeys",
            "--bloomguard.filters.items.warm-up.mode=blocking"));
    return new SpringApplicationBuilder(RedissonApplication.class)
        .web(WebApplicationType.NONE)
        .run(arguments.toArray(String[]::new));
  }
}

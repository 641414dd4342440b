package io.bloomguard.it.redisson;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;
import org.redisson.spring.data.connection.RedissonConnectionFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.embedded.RedisServer;

/** Redisson and Bloomguard in one application, on a Redis that wants a password. */
class RedissonApplicationTest {

  private static final String PASSWORD = "open-sesame";

  @Test
  void bothWork() throws IOException {
    int port = freePort();
    RedisServer redis =
        RedisServer.builder()
            .port(port)
            .bind("127.0.0.1")
            .setting("save \"\"")
            .setting("requirepass " + PASSWORD)
            .build();
    redis.start();
    try (ConfigurableApplicationContext application = run(port)) {
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
    } finally {
      redis.stop();
    }
  }

  private static ConfigurableApplicationContext run(int port) {
    return new SpringApplicationBuilder(RedissonApplication.class)
        .web(WebApplicationType.NONE)
        .run(
            "--spring.data.redis.host=127.0.0.1",
            "--spring.data.redis.port=" + port,
            "--spring.data.redis.password=" + PASSWORD,
            "--bloomguard.backend=redis",
            "--bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
            "--bloomguard.redis.command-timeout=2s",
            "--bloomguard.filters.items.expected-insertions=10000",
            "--bloomguard.filters.items.source.bean=itemKeys",
            "--bloomguard.filters.items.warm-up.mode=blocking");
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}

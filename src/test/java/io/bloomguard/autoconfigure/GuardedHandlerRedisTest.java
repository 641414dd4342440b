package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.redis.EmbeddedRedis;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/**
 * The same with the filter in Redis, where a check is a command, so that the handler is found
 * first.
 */
@Tag("redis")
class GuardedHandlerRedisTest extends GuardedHandlerTest {

  private final EmbeddedRedis redis = new EmbeddedRedis();
  private int apps;

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration(DataRedisAutoConfiguration.class)
  static class Redis {}

  @Override
  Class<?>[] configurations() {
    return new Class<?>[] {Web.class, Redis.class};
  }

  @Override
  String[] backend() {
    return new String[] {
      "bloomguard.backend=redis",
      "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
      "bloomguard.redis.command-timeout=2s",
      // A filter of its own for each: one of them is disarmed.
      "bloomguard.redis.key-prefix=app" + apps++,
      "spring.data.redis.host=127.0.0.1",
      "spring.data.redis.port=" + redis.port()
    };
  }

  /** One whose key is absent, one that passes, and one whose handler keeps values. */
  @ParameterizedTest
  @ValueSource(strings = {"/api/int/7", "/api/int/42", "/api/long/42"})
  void aRequestSendsOneCheck(String path) {
    // Once a second, upkeep reads words besides.
    await().untilAsserted(() -> assertThat(commandsOfTenRequests(path)).isEqualTo(10));
  }

  private long commandsOfTenRequests(String path) throws IOException {
    redis.commands().configResetstat();
    for (int request = 0; request < 10; request++) {
      String unused = filtered.send("GET", path);
    }
    return redis.calls("bitfield_ro");
  }

  @AfterAll
  void stopRedis() throws Exception {
    redis.close();
  }
}

package io.bloomguard.autoconfigure;

import io.bloomguard.redis.EmbeddedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
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

  @AfterAll
  void stopRedis() throws Exception {
    redis.close();
  }
}

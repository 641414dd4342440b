package io.bloomguard.it.support;

import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.test.context.DynamicPropertyRegistry;

/** A Redis for all tests of this process, which ends with it. */
public final class SharedRedis {

  private static final AtomicInteger PREFIXES = new AtomicInteger();
  private static final RedisProcess REDIS = start();

  private SharedRedis() {}

  /** Gives a context a corner of Redis of its own. */
  public static void register(DynamicPropertyRegistry registry) {
    String prefix = "it" + PREFIXES.incrementAndGet();
    registry.add("bloomguard.backend", () -> "redis");
    registry.add("bloomguard.hash-secret", () -> "000102030405060708090a0b0c0d0e0f");
    registry.add("bloomguard.redis.key-prefix", () -> prefix);
    REDIS.properties().forEach((name, value) -> registry.add(name, () -> value));
  }

  private static RedisProcess start() {
    try {
      return new RedisProcess("redis");
    } catch (Exception e) {
      throw new IllegalStateException("Redis did not start", e);
    }
  }
}

package io.bloomguard.it.attacks;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.it.attacks.node.NodeApplication;
import io.bloomguard.it.support.RedisProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.cache.Cache;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A short lifetime that is meant for null entries alone. */
class TtlControlTest {

  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Duration SHORT = Duration.ofSeconds(30);

  @Test
  void springsTtlFunction() throws Exception {
    try (RedisProcess redis = new RedisProcess("redis")) {
      LettuceConnectionFactory connections =
          new LettuceConnectionFactory("127.0.0.1", redis.port());
      connections.afterPropertiesSet();
      connections.start();
      try {
        Cache cache =
            RedisCacheManager.builder(connections)
                .cacheDefaults(
                    RedisCacheConfiguration.defaultCacheConfig()
                        .entryTtl((key, value) -> value == null || isNull(value) ? SHORT : LONG))
                .build()
                .getCache("things");

        cache.get("loaded", () -> "a thing");
        cache.put("put", "a thing");

        report(
            "Spring Data Redis, TtlFunction, get(key, loader)", lifetime(redis, "things::loaded"));
        report("Spring Data Redis, TtlFunction, put", lifetime(redis, "things::put"));
      } finally {
        connections.destroy();
      }
    }
  }

  private static boolean isNull(Object value) {
    return value.getClass().getSimpleName().equals("NullValue");
  }

  @Test
  void ours() throws Exception {
    try (RedisProcess redis = new RedisProcess("redis")) {
      List<String> arguments = new ArrayList<>(redis.arguments());
      arguments.add("--bloomguard.cache.ttl=" + LONG.toSeconds() + "s");
      arguments.add("--bloomguard.cache.null-ttl=" + SHORT.toSeconds() + "s");
      arguments.add("--bloomguard.cache.jitter=0");
      try (ConfigurableApplicationContext node =
          NodeApplication.start(sink -> sink.accept("thing"), arguments)) {
        BloomGuard<String> guard = node.getBean(BloomGuards.class).guard("things", String.class);
        guard.put("a thing");
        guard.put("no thing");

        long value = lifetimeOf(redis, () -> guard.get("a thing", () -> "a thing"));
        long nullEntry = lifetimeOf(redis, () -> guard.get("no thing", () -> null));

        report("Bloomguard, a loaded value", value);
        report("Bloomguard, a null entry", nullEntry);
        assertThat(value).isBetween(SHORT.toMillis() + 1, LONG.toMillis());
        assertThat(nullEntry).isBetween(1L, SHORT.toMillis());
      }
    }
  }

  /** The longest lifetime in milliseconds among the keys that {@code step} leaves in Redis. */
  private static long lifetimeOf(RedisProcess redis, Runnable step) throws IOException {
    List<?> before = (List<?>) redis.call("KEYS", "*}:value");
    step.run();
    long longest = 0;
    for (Object key : (List<?>) redis.call("KEYS", "*}:value")) {
      if (!before.contains(key)) {
        longest = Math.max(longest, lifetime(redis, (String) key));
      }
    }
    return longest;
  }

  private static long lifetime(RedisProcess redis, String key) throws IOException {
    return (Long) redis.call("PTTL", key);
  }

  private static void report(String what, long millis) {
    System.out.printf(
        "RESULT control, %s: lives for %.0f s; values are to live for %d s, null entries for %d s%n",
        what, millis / 1e3, LONG.toSeconds(), SHORT.toSeconds());
  }
}

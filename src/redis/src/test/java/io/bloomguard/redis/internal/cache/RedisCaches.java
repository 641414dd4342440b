package io.bloomguard.redis.internal.cache;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.internal.KeyDigest;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.SerializedValues;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.internal.client.RedisConnections;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Value caches in a Redis of their own. */
final class RedisCaches implements AutoCloseable {

  private static final HashSecret SECRET = HashSecret.parse("00112233445566778899aabbccddeeff");

  private final EmbeddedRedis redis = new EmbeddedRedis();
  private final RedisConnections connections = redis.connections();
  private final AtomicInteger names = new AtomicInteger();

  EmbeddedRedis redis() {
    return redis;
  }

  /** A cache of a name that no other has. */
  ValueCache newCache(CacheSettings settings) {
    return cache("cache-" + names.incrementAndGet(), settings);
  }

  ValueCache cache(String name, CacheSettings settings) {
    return new RedisValueCache(
        name, settings, new KeyDigest(SECRET), connections, "bloomguard", new SerializedValues());
  }

  /** Redis' clock cannot be set: waits until a key that lives so long has ended. */
  void pass(Duration time) {
    byte[] timer = ("timer-" + names.incrementAndGet()).getBytes(UTF_8);
    redis.commands().psetex(timer, time.toMillis(), timer);
    while (redis.commands().exists(timer) == 1) {
      Thread.onSpinWait();
    }
  }

  @Override
  public void close() throws Exception {
    redis.close();
  }
}

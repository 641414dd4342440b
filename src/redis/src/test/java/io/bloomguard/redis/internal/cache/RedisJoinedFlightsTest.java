package io.bloomguard.redis.internal.cache;

import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.JoinedFlightsContractTest;
import io.bloomguard.guard.ValueCache;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("redis")
class RedisJoinedFlightsTest extends JoinedFlightsContractTest {

  private static RedisCaches caches;

  @BeforeAll
  static void start() {
    caches = new RedisCaches();
  }

  @AfterAll
  static void stop() throws Exception {
    caches.close();
  }

  @Override
  protected ValueCache newCache(CacheSettings settings) {
    return caches.newCache(settings);
  }
}

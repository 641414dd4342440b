package io.bloomguard.redis;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyDigest;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.JoinedFlightsContractTest;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.json.JsonValues;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class RedisJoinedFlightsTest extends JoinedFlightsContractTest {

  private static final AtomicInteger NAMES = new AtomicInteger();

  private static EmbeddedRedis redis;
  private static RedisConnections connections;

  @BeforeAll
  static void start() {
    redis = new EmbeddedRedis();
    connections = redis.connections();
  }

  @AfterAll
  static void stop() throws Exception {
    redis.close();
  }

  @Override
  protected ValueCache newCache(CacheSettings settings) {
    return new RedisValueCache(
        "cache-" + NAMES.incrementAndGet(),
        settings,
        new KeyDigest(HashSecret.parse("00112233445566778899aabbccddeeff")),
        connections,
        "bloomguard",
        new JsonValues("values"));
  }
}

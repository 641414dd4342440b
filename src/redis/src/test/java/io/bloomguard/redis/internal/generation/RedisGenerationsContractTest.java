package io.bloomguard.redis.internal.generation;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Layout;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.GenerationStoreContractTest;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.TestRedisFilters;
import io.bloomguard.redis.internal.client.RedisConnections;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("redis")
class RedisGenerationsContractTest extends GenerationStoreContractTest {

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
  protected boolean followsFeed() {
    return true;
  }

  @Override
  protected Stream<Layout> salted() {
    return Stream.of(Layout.BLOCKED, Layout.COUNTING);
  }

  @Override
  protected GenerationStore newStore(String filterName) {
    return store(filterName, connections);
  }

  @Override
  protected GenerationStore another(GenerationStore store, String filterName) {
    return store(filterName, redis.connections());
  }

  private static GenerationStore store(String filterName, RedisConnections connections) {
    return RedisTestBase.store(
        TestRedisFilters.filter(
            filterName, SHAPE, connections, "bloomguard", Duration.ofMinutes(10), null),
        HashSecret.parse("00112233445566778899aabbccddeeff"),
        KeyHash.SIPHASH_1_3,
        RedisTestBase.AT_ONCE);
  }
}

package io.bloomguard.redis.internal.generation;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.RemovalContractTest;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.TestRedisFilters;
import io.bloomguard.redis.internal.client.RedisConnections;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("redis")
class RedisRemovalTest extends RemovalContractTest {

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
  protected GenerationStore newStore(String filterName, FilterShape shape) {
    return RedisTestBase.store(
        TestRedisFilters.filter(filterName, shape, connections, "bloomguard", RETENTION, null),
        RedisTestBase.SECRET,
        KeyHash.SIPHASH_1_3,
        RedisTestBase.AT_ONCE);
  }
}

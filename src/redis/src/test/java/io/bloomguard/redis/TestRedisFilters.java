package io.bloomguard.redis;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.internal.ReplicaSettings;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.generation.RedisFilter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Filters in Redis with the usual bound on their journals. */
public final class TestRedisFilters {

  private TestRedisFilters() {}

  public static RedisFilter filter(
      String name,
      FilterShape configured,
      RedisConnections connections,
      String keyPrefix,
      Duration journalRetention,
      @Nullable ReplicaSettings replica) {
    return new RedisFilter(
        name,
        configured,
        connections,
        keyPrefix,
        journalRetention,
        TestGenerations.journal(name),
        replica,
        true);
  }
}

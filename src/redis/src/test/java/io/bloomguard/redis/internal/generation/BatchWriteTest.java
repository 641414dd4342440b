package io.bloomguard.redis.internal.generation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.internal.KeyDigest;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.GuardedFilters;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.TestSettings;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.redis.StepProxy;
import io.bloomguard.redis.internal.cache.RedisValueCache;
import io.bloomguard.redis.internal.client.RedisConnections;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The write of many rows waits for Redis a few times, not once for each. */
@Tag("thorough")
@Tag("long")
class BatchWriteTest extends RedisTestBase {

  private static final int ROUND_TRIPS = 20;

  @Test
  void aWriteOfTenThousandKeysNeedsFewRoundTrips() throws Exception {
    List<String> keys = numbers(1_000_000, 1_010_000);
    build(store(first), SHAPE, numbers(0, 10));
    try (StepProxy proxy = new StepProxy(redis.port());
        RedisConnections slow = connections(proxy)) {
      SchemeStore store = store(slow);
      RedisValueCache cache = cache(slow);
      EntryGuard<?> guard = guard(store, cache);
      guard.put("0");
      guard.check("0");

      int before = proxy.steps.get();
      KeyWrites.Write write = guard.writes().beginWrites(keys, List.of());
      long asked = System.nanoTime();
      assertThat(cache.lastWrite(keys.get(5_000))).as("open").isGreaterThanOrEqualTo(asked);
      write.close();
      int trips = proxy.steps.get() - before - 1;

      assertThat(store(second).checkAll(keys)).containsOnly(Membership.POSSIBLY_PRESENT);
      assertThat(trips).isLessThanOrEqualTo(ROUND_TRIPS);
      System.out.println("10,000 keys were written in " + trips + " round trips");
    }
  }

  private static RedisConnections connections(StepProxy proxy) {
    RedisConnections connections =
        new RedisConnections(
            new LettuceConnectionFactory("127.0.0.1", proxy.port()), Duration.ofSeconds(5));
    assertThat(connections.awaitConnected(Duration.ofSeconds(20))).isTrue();
    return connections;
  }

  private RedisValueCache cache(RedisConnections connections) {
    CacheSettings settings =
        TestSettings.cache(
            Duration.ofMinutes(1), Duration.ofMinutes(1), 0, 100, 100, Duration.ofSeconds(10));
    return valueCache(connections, settings, new KeyDigest(SECRET));
  }

  private EntryGuard<Object> guard(SchemeStore store, RedisValueCache cache) {
    return GuardedFilters.registry(
            filter,
            store,
            name -> cache,
            TestSettings.loads(4, Duration.ofSeconds(5), Duration.ofSeconds(5)))
        .guard(filter);
  }
}

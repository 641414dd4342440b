package io.bloomguard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.generation.RedisFilter;
import io.bloomguard.redis.internal.generation.RedisTestBase;
import io.bloomguard.redis.internal.generation.SchemeStore;

/**
 * Heads without images, about which the doubt is over: a process made them, waited for others no
 * longer than it had to, and left. The first builds of an application wait for nothing then.
 */
public final class SettledHeads {

  private SettledHeads() {}

  /** Makes those of filters with one partition. */
  public static void of(EmbeddedRedis redis, HashSecret secret, String... filters) {
    RedisConnections connections = redis.connections();
    for (String filter : filters) {
      RedisFilter settings =
          TestRedisFilters.filter(
              filter,
              RedisTestBase.SHAPE,
              connections,
              "bloomguard",
              RedisTestBase.RETENTION,
              null);
      SchemeStore process =
          RedisTestBase.store(settings, secret, KeyHash.SIPHASH_1_3, RedisTestBase.AT_ONCE);
      process.prepare();
      byte[] head = ("bloomguard:{" + filter + ":0}:head").getBytes(UTF_8);
      await()
          .until(
              () -> {
                process.maintain();
                return redis.commands().hexists(head, "settled".getBytes(UTF_8));
              });
      process.close();
    }
  }
}

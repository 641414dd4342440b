package io.bloomguard.redis.internal.store;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.redis.internal.generation.Limits;
import io.bloomguard.redis.internal.generation.RedisFilter;
import java.util.List;

/** Stores in Redis, for the tests of other packages. */
public final class RedisStores {

  private RedisStores() {}

  /** A store that hashes as the test says. */
  public static RedisGenerationStore store(
      RedisFilter filter, KeyHasher hasher, HashSecret secret, Limits limits) {
    return new RedisGenerationStore(filter, hasher, List.of(secret), limits);
  }
}

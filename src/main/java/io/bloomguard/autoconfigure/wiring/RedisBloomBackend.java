package io.bloomguard.autoconfigure.wiring;

import io.bloomguard.autoconfigure.properties.Backend;
import io.bloomguard.autoconfigure.properties.BloomProperties;
import io.bloomguard.classic.bloom.RawBloomFilter;
import io.bloomguard.classic.bloom.SharedBloom;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCodec;
import io.bloomguard.guard.cache.CachePlan;
import org.jspecify.annotations.Nullable;

/** Filters of the RedisBloom module, in the application's Redis. */
final class RedisBloomBackend implements FilterBackend {

  private final RedisBackend redis;
  private final String keyPrefix;

  /**
   * @param keyPrefix what every key of ours begins with
   */
  RedisBloomBackend(RedisBackend redis, String keyPrefix) {
    this.redis = redis;
    this.keyPrefix = keyPrefix;
  }

  @Override
  public Backend backend() {
    return Backend.REDIS_BLOOM;
  }

  @Override
  public FilterStore store(StoreOrder order) {
    String filter = order.filter();
    BloomProperties bloom = order.properties().bloomOrDefault();
    if (bloom.keyForm() == BloomProperties.KeyForm.HASHED) {
      // Its images are of another kind than those of the backend redis.
      return redis.generations(order, keyPrefix + ":bloom");
    }
    return new RawBloomFilter(
        new SharedBloom(filter, bloom.key(), order.shape(), bloom.create(), bloom.expansion()),
        order.folding(),
        redis.connections(),
        keyPrefix);
  }

  @Override
  public ValueCache cache(String name, CachePlan plan, @Nullable ValueCodec codec) {
    return redis.cache(name, plan, codec);
  }
}

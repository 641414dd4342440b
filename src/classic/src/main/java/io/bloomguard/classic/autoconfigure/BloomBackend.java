package io.bloomguard.classic.autoconfigure;

import io.bloomguard.autoconfigure.internal.properties.Backend;
import io.bloomguard.autoconfigure.internal.properties.BloomProperties;
import io.bloomguard.autoconfigure.internal.properties.SettingRules;
import io.bloomguard.autoconfigure.internal.wiring.ApplicationRedis;
import io.bloomguard.autoconfigure.internal.wiring.OwnSettings;
import io.bloomguard.classic.internal.bloom.RawBloomFilter;
import io.bloomguard.classic.internal.bloom.SharedBloom;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.FilterBackend;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.StoreOrder;
import java.util.Objects;

/** Filters of the RedisBloom module, in the application's Redis. */
record BloomBackend(ApplicationRedis redis, OwnSettings settings) implements FilterBackend {

  @Override
  public String name() {
    return Backend.REDIS_BLOOM + ", backend: redis-bloom";
  }

  @Override
  public String rules() {
    return SettingRules.table(BloomBackend.class, "bloom.rules");
  }

  @Override
  public FilterShape shape(String filter, FilterShape sized) {
    return Sizing.shape(
        Layout.CLASSIC, sized.expectedInsertions(), sized.falsePositiveProbability(), 0);
  }

  @Override
  public FilterStore store(StoreOrder order) {
    BloomProperties bloom = Objects.requireNonNull(settings.of(order.filter()).bloom());
    return new RawBloomFilter(
        new SharedBloom(
            order.filter(), bloom.key(), order.shape(), bloom.create(), bloom.expansion()),
        order.folding(),
        redis.connections(),
        redis.keyPrefix());
  }
}

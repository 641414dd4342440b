package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.internal.cache.LocalValueCache;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LocalRefreshTest extends RefreshContractTest {

  private final AtomicLong ticks = new AtomicLong();

  @Override
  protected ValueCache newCache(CacheSettings settings) {
    return TestSettings.cache(settings, ticks::get);
  }

  @Override
  protected void pass(Duration time) {
    ticks.addAndGet(time.toNanos());
  }

  @Test
  void whatAnotherCallerHasLoadedSinceTheLookIsServed() {
    LocalValueCache cache =
        TestSettings.cache(settings(Duration.ofMinutes(10), Duration.ofMillis(1)), ticks::get);
    ValueCacheContractTest.store(cache, "1", "old");
    pass(Duration.ofMillis(2));
    BloomGuard<String> guard =
        guard(
            new LocalCacheThat(cache) {
              @Override
              public @Nullable Lease tryLease(String key) {
                ValueCacheContractTest.store(cache, key, "of another caller");
                return super.tryLease(key);
              }

              @Override
              public <V> CacheLookup<V> lookAgain(String key, ValueType<V> type) {
                return cache.lookAgain(key, type);
              }
            });
    assertThat(guard.get("1", () -> "loaded twice")).isEqualTo("of another caller");
    assertThat(cache.tryLease("1")).as("the lease is given back").isNotNull();
  }
}

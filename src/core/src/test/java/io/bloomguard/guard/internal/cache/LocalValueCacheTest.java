package io.bloomguard.guard.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.TestSettings;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCache.StoreResult;
import io.bloomguard.guard.ValueCacheContractTest;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LocalValueCacheTest extends ValueCacheContractTest {

  private final AtomicLong ticks = new AtomicLong();

  @Override
  protected ValueCache newCache(CacheSettings settings) {
    return TestSettings.cache(settings, () -> System.nanoTime() + ticks.get());
  }

  @Override
  protected void pass(ValueCache cache, Duration time) {
    ticks.addAndGet(time.toNanos());
  }

  @Test
  void lifetimesAreStretchedByAtMostTheJitter() {
    CacheSettings settings =
        TestSettings.cache(
            Duration.ofSeconds(100), Duration.ofSeconds(10), 0.2, 1, 1, Duration.ofSeconds(1));
    for (int i = 0; i < 1_000; i++) {
      assertThat(settings.nextTtl()).isBetween(Duration.ofSeconds(100), Duration.ofSeconds(120));
      assertThat(settings.nextNullTtl()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(12));
    }
    assertThat(settings.nextTtl()).isNotEqualTo(settings.nextTtl());
  }

  @Test
  void nothingIsKeptForKeysWithoutLeaseOrBarrier() {
    LocalValueCache cache = TestSettings.cache(SETTINGS, ticks::get);
    SplittableRandom random = new SplittableRandom(42);
    for (int i = 0; i < 10_000; i++) {
      String key = "key" + random.nextInt(100);
      switch (random.nextInt(3)) {
        case 0 -> cache.store(lease(cache, key), "value");
        case 1 -> cache.release(lease(cache, key));
        default -> {
          cache.beginWrite(key, "w");
          cache.endWrite(key, "w");
        }
      }
    }
    assertThat(cache.controls()).isZero();
  }

  @Test
  void aWriteIsForgottenAfterAWhile() {
    LocalValueCache cache = TestSettings.cache(SETTINGS, ticks::get);
    cache.beginWrite("a", "w");
    cache.endWrite("a", "w");
    pass(cache, CacheSettings.RECENT.minusNanos(1));
    assertThat(cache.lastWrite("a")).isNotNull();
    pass(cache, Duration.ofNanos(1));
    assertThat(cache.lastWrite("a")).isNull();
  }

  /** A transaction may be older than what nobody knows of. */
  @Test
  void whereAllIsDroppedEveryKeyCountsAsWritten() {
    LocalValueCache cache = TestSettings.cache(SETTINGS, ticks::get);
    lease(cache, "a");
    cache.dropAll();
    assertThat(cache.controls()).isZero();
    assertThat(cache.lastWrite("any")).isNotNull();
    pass(cache, CacheSettings.RECENT);
    assertThat(cache.lastWrite("any")).isNull();
  }

  /** The end that reads the clock first may reach the cache last. */
  @Test
  void theEndOfAnOlderWriteDoesNotHideThatOfALaterOne() {
    LocalValueCache cache = TestSettings.cache(SETTINGS, ticks::get);
    cache.beginWrite("a", "v");
    cache.beginWrite("a", "w");
    pass(cache, Duration.ofSeconds(10));
    cache.endWrite("a", "w");
    ticks.addAndGet(-Duration.ofSeconds(9).toNanos());
    cache.endWrite("a", "v");
    pass(cache, Duration.ofSeconds(10));
    assertThat(ticks.get() - cache.lastWrite("a")).isEqualTo(Duration.ofSeconds(1).toNanos());
  }

  @Test
  void aBarrierLeftBehindEndsByItself() {
    LocalValueCache cache = TestSettings.cache(SETTINGS, ticks::get);
    cache.beginWrite("a", "a writer that died");
    pass(cache, CacheSettings.BARRIER.plusNanos(1));
    assertThat(cache.store(lease(cache, "a"), null)).isEqualTo(StoreResult.STORED);
  }

  @Test
  void aNullEntryDoesNotComeBackWhenTheValueThatReplacedItHasGone() {
    LocalValueCache cache = TestSettings.cache(brief(1, 100), ticks::get);
    store(cache, "a", null);
    assertThat(cache.nullEntries()).isOne();
    store(cache, "a", "value");
    assertThat(cache.nullEntries()).isZero();
    pass(cache, Duration.ofSeconds(2));
    assertThat(cache.lookup("a", STRING)).isEqualTo(CacheLookup.miss());
  }

  @Test
  void aValueDoesNotOutliveTheNullEntryThatReplacedIt() {
    LocalValueCache cache = TestSettings.cache(brief(100, 1), ticks::get);
    store(cache, "a", "value");
    store(cache, "a", null);
    assertThat(cache.lookup("a", STRING)).isEqualTo(CacheLookup.nullHit());
    pass(cache, Duration.ofSeconds(2));
    assertThat(cache.lookup("a", STRING)).isEqualTo(CacheLookup.miss());
  }

  @Test
  void ofTwoBarriersTheOneThatIsNotOverStands() {
    LocalValueCache cache = TestSettings.cache(SETTINGS, ticks::get);
    cache.beginWrite("a", "first");
    pass(cache, Duration.ofSeconds(1));
    cache.beginWrite("a", "second");
    assertThat(cache.controls()).isOne();
    pass(cache, CacheSettings.BARRIER.minusSeconds(1));
    assertThat(store(cache, "a", null)).as("the second stands").isEqualTo(StoreResult.REFUSED);
    pass(cache, Duration.ofSeconds(1).minusNanos(1));
    assertThat(store(cache, "a", null)).as("still").isEqualTo(StoreResult.REFUSED);
    pass(cache, Duration.ofNanos(1));
    assertThat(store(cache, "a", null)).as("both are over").isEqualTo(StoreResult.STORED);
    assertThat(cache.controls()).isZero();
  }

  private static CacheSettings brief(int valueSeconds, int nullSeconds) {
    return TestSettings.cache(
        Duration.ofSeconds(valueSeconds),
        Duration.ofSeconds(nullSeconds),
        0,
        10,
        10,
        Duration.ofSeconds(30));
  }
}

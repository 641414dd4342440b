package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.bloomguard.guard.cache.LocalValueCache;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** XFetch's rule: due if now - delta * beta * ln(random) is at or past the limit. */
class RefreshSettingsTest {

  private static final int DRAWS = 100_000;

  /** The chance is exp(-left / (delta * beta)); five standard deviations are 0.8 % at most. */
  @ParameterizedTest
  @CsvSource({"100, 100, 1", "50, 100, 1", "300, 100, 1", "300, 100, 3", "10, 1000, 0.5"})
  void theChanceToBeDueIsThatOfAnExponentialDistribution(long left, long loadTime, double beta) {
    RefreshSettings settings = new RefreshSettings(Duration.ZERO, beta);
    SplittableRandom random = new SplittableRandom(42);
    int due = 0;
    for (int i = 0; i < DRAWS; i++) {
      due += settings.isDue(left, loadTime, random.nextDouble()) ? 1 : 0;
    }
    assertThat((double) due / DRAWS).isEqualTo(Math.exp(-left / (loadTime * beta)), within(0.008));
  }

  @Test
  void aCacheFollowsTheRuleByItsClockAndTheTimeOfTheLoad() {
    AtomicLong ticks = new AtomicLong();
    SplittableRandom random = new SplittableRandom(42);
    LocalValueCache cache =
        new LocalValueCache(
            settings(new RefreshSettings(Duration.ZERO, 2)), null, ticks::get, random::nextDouble);
    Lease lease = ValueCacheContractTest.lease(cache, "a");
    cache.store(lease, "value", ValueCacheContractTest.STRING, Duration.ofSeconds(3));
    for (int left : new int[] {60, 12, 6, 1}) {
      ticks.set(Duration.ofSeconds(100 - left).toNanos());
      int due = 0;
      for (int i = 0; i < DRAWS; i++) {
        due += cache.lookup("a", ValueCacheContractTest.STRING) instanceof CacheLookup.Due ? 1 : 0;
      }
      assertThat((double) due / DRAWS)
          .as("%d s before the end", left)
          .isEqualTo(Math.exp(-left / 6.0), within(0.008));
    }
  }

  /** As docs/values.md has it, of an hour's last ten seconds. */
  @Test
  void aHotValueIsLoadedAgainSomeLoadTimesBeforeItsLimit() {
    RefreshSettings settings = new RefreshSettings(Duration.ZERO, 1);
    SplittableRandom random = new SplittableRandom(42);
    long loadTime = Duration.ofMillis(50).toNanos();
    double sum = 0;
    for (int run = 0; run < 1_000; run++) {
      long left = Duration.ofSeconds(10).toNanos();
      while (!settings.isDue(left, loadTime, random.nextDouble())) {
        left -= Duration.ofMillis(1).toNanos();
      }
      sum += left / 1e9;
    }
    assertThat(sum / 1_000).isEqualTo(0.22, within(0.02));
  }

  @Test
  void withoutBetaAValueIsDueAtItsLimitAndNotBefore() {
    RefreshSettings settings = new RefreshSettings(Duration.ofSeconds(1), 0);
    SplittableRandom random = new SplittableRandom(42);
    for (int i = 0; i < 1_000; i++) {
      assertThat(settings.isDue(1, Long.MAX_VALUE, random.nextDouble())).isFalse();
      assertThat(settings.isDue(0, 0, random.nextDouble())).isTrue();
    }
    assertThat(settings.isDue(1, Long.MAX_VALUE, Math.nextDown(1.0))).isFalse();
  }

  @Test
  void noDrawMakesAValueDueWhateverTimeIsLeft() {
    RefreshSettings settings = new RefreshSettings(Duration.ZERO, 1);
    assertThat(settings.isDue(Long.MAX_VALUE, 1_000_000_000, Math.nextDown(1.0))).isFalse();
    assertThat(settings.isDue(1, 1_000_000_000, 0)).isFalse();
  }

  /** Jitter stretches both limits alike, so that the soft one stays the first. */
  @Test
  void aStretchedLifetimeStretchesTheTimePastTheSoftLimit() {
    CacheSettings settings = settings(new RefreshSettings(Duration.ofSeconds(25), 0));
    assertThat(settings.staleTime(Duration.ofSeconds(100))).isEqualTo(Duration.ofSeconds(75));
    assertThat(settings.staleTime(Duration.ofSeconds(120))).isEqualTo(Duration.ofSeconds(90));
    assertThat(settings(RefreshSettings.OFF).staleTime(Duration.ofSeconds(100)))
        .isEqualTo(Duration.ZERO);
  }

  private static CacheSettings settings(RefreshSettings refresh) {
    return new CacheSettings(
        Duration.ofSeconds(100),
        Duration.ofSeconds(10),
        0,
        10,
        10,
        Duration.ofSeconds(30),
        refresh);
  }
}

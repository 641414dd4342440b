package io.bloomguard.guard.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.CacheUseException;
import io.bloomguard.guard.TestSettings;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCodec;
import io.bloomguard.guard.internal.CacheOverrides;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The users of one cache agree on where and how it keeps entries, or are refused. */
class PlannedCacheTest {

  private static final CacheSettings USUAL = TestSettings.CACHE;

  private static final CacheOverrides AS_THE_FILTER =
      new CacheOverrides(null, null, null, null, null, false);

  private static final CacheOverrides FIVE_MINUTES =
      new CacheOverrides(Duration.ofMinutes(5), null, null, null, null, false);

  private final List<CachePlan> made = new ArrayList<>();

  private final ValueCaches caches =
      new ValueCaches() {
        private final Map<String, CachePlan> plans =
            Map.of(
                "here", new CachePlan("local", USUAL, false),
                "here too", new CachePlan("local", FIVE_MINUTES.over(USUAL), false),
                "copied", new CachePlan("local", USUAL, true),
                "there", new CachePlan("redis", USUAL, false));

        @Override
        public CachePlan plan(String filter) {
          return plans.getOrDefault(filter, new CachePlan("none", USUAL, false));
        }

        @Override
        public ValueCache make(String cache, CachePlan plan, @Nullable ValueCodec codec) {
          made.add(plan);
          return new LocalValueCache(plan.settings(), null);
        }
      };

  private final PlannedCache cache = new PlannedCache("prices", "here", caches);

  @Test
  void isMadeOnceAtItsFirstUseAsItsFilterSays() {
    assertThat(made).isEmpty();
    assertThat(cache.get()).isSameAs(cache.get());
    assertThat(made).containsExactly(new CachePlan("local", USUAL, false));
  }

  @Test
  void isMadeAsAReaderSaysWhoComesAfterAWriter() {
    cache.require("here", "Shop.save()", null);
    cache.require("here", "Shop.price()", FIVE_MINUTES);
    cache.require("here", "Shop.price()", FIVE_MINUTES);
    cache.require("here", "Shop.save()", null);
    cache.get();
    assertThat(made).hasSize(1);
    assertThat(made.get(0).settings().ttl()).isEqualTo(Duration.ofMinutes(5));
    assertThat(made.get(0).settings().nullTtl()).isEqualTo(USUAL.nullTtl());
  }

  @Test
  void twoReadersThatDisagreeAreRefused() {
    cache.require("here", "Shop.find()", AS_THE_FILTER);
    assertThatExceptionOfType(CacheUseException.class)
        .isThrownBy(() -> cache.require("here", "Shop.price()", FIVE_MINUTES))
        .withMessageContaining("'prices' with ttl=PT5M")
        .withMessageContaining("Shop.find() keeps them with ttl=PT10M");
  }

  @Test
  void twoReadersThatRefreshOtherwiseAreRefused() {
    cache.require("here", "Shop.find()", AS_THE_FILTER);
    assertThatExceptionOfType(CacheUseException.class)
        .isThrownBy(
            () ->
                cache.require(
                    "here",
                    "Shop.price()",
                    new CacheOverrides(null, Duration.ofMinutes(8), null, null, null, false)))
        .withMessageContaining("soft-ttl=PT8M")
        .withMessageContaining("Shop.find() keeps them with ttl=PT10M, soft-ttl=PT0S");
  }

  @Test
  void aSoftLimitThatIsNotBeforeTheEndIsRefused() {
    assertThatExceptionOfType(CacheUseException.class)
        .isThrownBy(
            () ->
                cache.require(
                    "here",
                    "Shop.price()",
                    new CacheOverrides(null, Duration.ofMinutes(10), null, null, null, false)))
        .withMessageContaining("soft-ttl=PT10M, which is not shorter than ttl=PT10M");
  }

  @Test
  void whatIsMadeIsNotChanged() {
    cache.get();
    cache.require("here", "Shop.find()", AS_THE_FILTER);
    assertThatExceptionOfType(CacheUseException.class)
        .isThrownBy(() -> cache.require("here", "Shop.price()", FIVE_MINUTES))
        .withMessageContaining("the filter 'here' keeps them with");
  }

  @Test
  void readersOfTwoFiltersAgreeByTheSum() {
    cache.require("here", "Shop.price()", FIVE_MINUTES);
    cache.require("here too", "Shop.find()", AS_THE_FILTER);
    assertThatExceptionOfType(CacheUseException.class)
        .isThrownBy(() -> cache.require("here", "Shop.find()", AS_THE_FILTER));
  }

  @Test
  void aFilterThatLivesElsewhereIsRefusedEvenIfItOnlyWrites() {
    assertThatExceptionOfType(CacheUseException.class)
        .isThrownBy(() -> cache.require("there", "Shop.save()", null))
        .withMessageContaining("'here' (backend local) and 'there' (backend redis)");
    assertThatExceptionOfType(CacheUseException.class)
        .isThrownBy(() -> cache.require("copied", "Shop.save()", null))
        .withMessageContaining("copied");
  }
}

package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Ticker;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.generation.internal.local.LocalGenerations;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.Rejection;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.verify.Arrivals;
import io.bloomguard.guard.internal.verify.RowKeys;
import io.bloomguard.guard.internal.verify.Verification;
import io.bloomguard.guard.internal.verify.VerifySettings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Somebody collects absent keys that pass, and replays them again and again, whenever their null
 * entries have ended.
 */
class ReplayedFalsePositivesTest {

  private static final int KEYS = 10_000;
  private static final double P = 0.01;
  private static final FilterShape SHAPE = Sizing.blocked(KEYS, P, 8);
  private static final KeyHasher HASHER = KeyHash.SIPHASH_1_3.hasher(HashSecret.random());

  private final AtomicLong nanos = new AtomicLong();
  private final Ticker ticker = nanos::get;
  private final LocalGenerations store =
      TestGenerations.local(
          "users",
          shape -> MembershipFilters.create(shape, HASHER, BlockGeometry.drawSalt()),
          SHAPE,
          Duration.ofMinutes(10),
          0,
          nanos::get);
  private final EntryGuard<String> guard = guard();
  private long loads;

  private EntryGuard<String> guard() {
    GuardedFilter filter =
        new GuardedFilter(
            "users",
            store,
            UnknownPolicy.OPEN,
            new OutcomeCounters(),
            GuardListener.NONE,
            DeniedKeyListener.NONE,
            Duration.ofMinutes(10),
            new Verification(
                "users",
                store,
                new LocalEnforcement(),
                FilterMode.ENFORCE,
                VerifySettings.OFF,
                Arrivals.NONE,
                RowKeys.NONE,
                Runnable::run,
                System::nanoTime),
            KeyFolding.EXACT,
            Rejection.ABSENT,
            null);
    ValueCache cache = new LocalValueCache(Guards.CACHE, null, ticker);
    return TestSettings.registry(
            List.of(filter), name -> cache, new KeyRules(64), Guards.loads(4), Transactions.NONE)
        .guard("users", String.class);
  }

  private void rebuild() {
    try (GenerationStore.Build build = store.beginBuild(SHAPE)) {
      long[] keys = LongStream.range(0, KEYS).toArray();
      build.addAll(keys, keys.length);
      build.publish();
    }
  }

  /** Asks for each key once, after all null entries have ended; how many were loaded. */
  private long replay(long[] collected) {
    nanos.addAndGet(Duration.ofHours(1).toNanos());
    loads = 0;
    for (long key : collected) {
      guard.<RuntimeException>get(
          key,
          () -> {
            loads++;
            return null;
          });
    }
    return loads;
  }

  @Test
  void eachCostsTwoLoadsAGenerationAndFewPassTheNextOne() {
    rebuild();
    long[] collected =
        LongStream.range(KEYS, 1_000_000)
            .filter(key -> store.check(key) == Membership.POSSIBLY_PRESENT)
            .toArray();
    assertThat(collected.length).isGreaterThan(8_000);

    assertThat(replay(collected)).isEqualTo(collected.length);
    assertThat(replay(collected)).isEqualTo(collected.length);
    assertThat(replay(collected)).isZero();
    assertThat(replay(collected)).isZero();
    assertThat(store.falsePositives(false)).isEqualTo(collected.length);
    assertThat(store.falsePositives(true)).isEqualTo(collected.length);

    rebuild();
    double chance = collected.length * P;
    long again = replay(collected);
    assertThat((double) again).isLessThan(chance + 5 * Math.sqrt(chance));
    assertThat(replay(collected)).isEqualTo(again);
    assertThat(replay(collected)).isZero();
  }
}

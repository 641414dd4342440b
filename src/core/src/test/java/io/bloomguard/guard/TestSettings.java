package io.bloomguard.guard;

import com.github.benmanes.caffeine.cache.Ticker;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.KeyTypes;
import io.bloomguard.guard.internal.OwnedValues;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.cache.ValueCaches;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import io.bloomguard.guard.internal.load.LoadSettings;
import io.bloomguard.guard.internal.load.LoadThreads;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/** Settings and guards whose further settings a test leaves to the usual. */
public final class TestSettings {

  /** The defaults of the properties. */
  public static final CacheSettings CACHE =
      cache(
          Duration.ofMinutes(10),
          Duration.ofSeconds(30),
          0.2,
          100_000,
          100_000,
          Duration.ofSeconds(10));

  private TestSettings() {}

  /** Values are loaded again after they expire, not before. */
  public static CacheSettings cache(
      Duration ttl,
      Duration nullTtl,
      double jitter,
      long maxValues,
      long maxNullEntries,
      Duration lease) {
    return new CacheSettings(ttl, nullTtl, jitter, maxValues, maxNullEntries, lease, Duration.ZERO);
  }

  /** Values that a time of the test's own ages, handed out as they are. */
  public static LocalValueCache cache(CacheSettings settings, Ticker ticker) {
    return new LocalValueCache(settings, null, ticker);
  }

  public static LoadSettings loads(int maxConcurrent, Duration timeout, Duration maxWait) {
    return loads(maxConcurrent, timeout, maxWait, maxWait);
  }

  public static LoadSettings loads(
      int maxConcurrent, Duration timeout, Duration maxWait, Duration maxQueue) {
    return loads(maxConcurrent, timeout, maxWait, maxQueue, 10_000);
  }

  public static LoadSettings loads(
      int maxConcurrent, Duration timeout, Duration maxWait, Duration maxQueue, int maxWaiting) {
    return new LoadSettings(
        maxConcurrent, timeout, maxWait, maxQueue, maxWaiting, Duration.ofSeconds(30));
  }

  /** Caches of the usual settings, and no values that belong to one caller. */
  public static GuardRegistry registry(
      List<GuardedFilter> filters,
      Function<String, ValueCache> newCache,
      KeyRules rules,
      LoadSettings loads,
      Transactions transactions) {
    return registry(
        filters,
        ValueCaches.alike(CACHE, newCache),
        rules,
        loads,
        transactions,
        new OwnedValues(() -> OwnedTypes.NONE),
        new KeyTypes());
  }

  /** The writes of the application reach the database at once. */
  public static GuardRegistry registry(
      List<GuardedFilter> filters,
      ValueCaches newCaches,
      KeyRules rules,
      LoadSettings loads,
      Transactions transactions,
      OwnedValues owned,
      KeyTypes keyTypes) {
    return new GuardRegistry(
        filters,
        newCaches,
        rules,
        loads,
        transactions,
        owned,
        keyTypes,
        PendingWrites.NONE,
        new LoadThreads(loads.maxConcurrent(), loads.maxWaiting()));
  }
}

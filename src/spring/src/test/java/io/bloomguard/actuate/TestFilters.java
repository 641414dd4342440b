package io.bloomguard.actuate;

import io.bloomguard.actuate.internal.OperatedFilter;
import io.bloomguard.actuate.internal.OperatedFilters;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.SourceRules;
import io.bloomguard.generation.internal.WarmUpMode;
import io.bloomguard.generation.internal.build.BuildThreads;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.generation.internal.build.RebuildListener;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.generation.internal.feed.FeedSettings;
import io.bloomguard.generation.internal.feed.FilterFeed;
import io.bloomguard.generation.internal.local.LocalFeedRecord;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.GuardedFilters;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.TestSettings;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.KeyTypes;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Real local filters with their guards, wired by hand. Rebuilds run on the caller's thread. */
public final class TestFilters {

  private static final KeyRules RULES = new KeyRules(256);
  private static final Duration COOLDOWN = Duration.ofSeconds(90);

  private static final KeyHasher HASHER =
      SipHash.oneThree(HashSecret.parse("000102030405060708090a0b0c0d0e0f"));
  private static final CacheSettings CACHE =
      TestSettings.cache(
          Duration.ofMinutes(10),
          Duration.ofSeconds(30),
          0.2,
          1_000,
          1_000,
          Duration.ofSeconds(10));

  private final List<OperatedFilter> operated = new ArrayList<>();
  private final List<GuardedFilter> guarded = new ArrayList<>();
  private final Map<String, ValueCache> caches = new ConcurrentHashMap<>();
  private @Nullable GuardRegistry registry;

  /** A filter that has been started, on a clock that stands still. */
  public TestFilters with(String name, UnknownPolicy onUnknown, @Nullable KeySource source) {
    return with(name, onUnknown, source, Runnable::run, RebuildListener.NONE, GuardListener.NONE);
  }

  /** A filter that has been started, on a clock that stands still. */
  public TestFilters with(
      String name,
      UnknownPolicy onUnknown,
      @Nullable KeySource source,
      Executor executor,
      RebuildListener rebuilds,
      GuardListener loads) {
    return with(
        name, onUnknown, source, executor, rebuilds, loads, () -> Instant.ofEpochSecond(1_000));
  }

  public TestFilters with(
      String name,
      UnknownPolicy onUnknown,
      @Nullable KeySource source,
      Executor executor,
      RebuildListener rebuilds,
      GuardListener loads,
      InstantSource clock) {
    FilterSettings settings = settings(name);
    FilterStore store =
        TestGenerations.local(
            name,
            shape -> MembershipFilters.create(shape, HASHER),
            settings.shape(),
            Duration.ofMinutes(10),
            0,
            () -> clock.instant().toEpochMilli() * 1_000_000);
    return with(settings, store, onUnknown, source, executor, rebuilds, loads, clock);
  }

  private TestFilters with(
      FilterSettings settings,
      FilterStore store,
      UnknownPolicy onUnknown,
      @Nullable KeySource source,
      Executor executor,
      RebuildListener rebuilds,
      GuardListener loads,
      InstantSource clock) {
    String name = settings.name();
    ManagedFilter filter =
        TestGenerations.managed(settings, store, source, executor, clock, rebuilds);
    filter.start();
    OutcomeCounters counters = new OutcomeCounters();
    guarded.add(GuardedFilters.of(name, store, onUnknown, counters, loads, Duration.ofMinutes(10)));
    operated.add(
        new OperatedFilter(
            filter, GuardedFilters.operated(filter, onUnknown, counters), () -> cache(name)));
    return this;
  }

  /** A filter of other settings that has been started. */
  TestFilters of(FilterSettings settings, UnknownPolicy onUnknown, KeySource source) {
    FilterStore store =
        TestGenerations.local(
            settings.name(),
            shape -> MembershipFilters.create(shape, HASHER),
            settings.shape(),
            Duration.ofMinutes(10),
            0,
            System::nanoTime);
    return with(
        settings,
        store,
        onUnknown,
        source,
        Runnable::run,
        RebuildListener.NONE,
        GuardListener.NONE,
        () -> Instant.ofEpochSecond(1_000));
  }

  /** A filter with a source, over a store of the test's own. */
  public TestFilters over(String name, FilterStore store) {
    return with(
        settings(name),
        store,
        UnknownPolicy.OPEN,
        sink -> {},
        Runnable::run,
        RebuildListener.NONE,
        GuardListener.NONE,
        () -> Instant.ofEpochSecond(1_000));
  }

  /** A filter that follows a feed of changes. */
  public TestFilters fed(String name) {
    FilterSettings settings = settings(name);
    FilterStore store =
        TestGenerations.local(
            name,
            shape -> MembershipFilters.create(shape, HASHER),
            settings.shape(),
            Duration.ofMinutes(10),
            0,
            System::nanoTime);
    FeedSettings feed =
        new FeedSettings(name, Duration.ofSeconds(5), true, RULES, Duration.ofMinutes(10));
    ManagedFilter filter =
        new ManagedFilter(
            settings,
            store,
            sink -> {},
            new FilterFeed(feed, new LocalFeedRecord(System::nanoTime), false),
            new BuildThreads(),
            InstantSource.system(),
            RebuildListener.NONE,
            new KeyTypes(),
            ManagedFilter.Pause.SLEEP);
    operated.add(
        new OperatedFilter(
            filter,
            GuardedFilters.operated(filter, UnknownPolicy.OPEN, new OutcomeCounters()),
            () -> cache(name)));
    return this;
  }

  private static FilterSettings settings(String name) {
    return TestGenerations.settings(
        name,
        Layout.BLOCKED,
        1_000,
        0.001,
        WarmUpMode.NONE,
        COOLDOWN,
        0.6,
        0,
        RULES,
        new SourceRules(true, 0, 0.5));
  }

  /** A filter that only guards know, over a store of the test's own. */
  public TestFilters guarding(String name, MembershipStore store) {
    guarded.add(
        GuardedFilters.of(
            name,
            store,
            UnknownPolicy.OPEN,
            new OutcomeCounters(),
            GuardListener.NONE,
            Duration.ofMinutes(10)));
    return this;
  }

  /** All filters as an operator sees them. */
  public OperatedFilters operated() {
    return new OperatedFilters(operated);
  }

  /** All guards, made at the first call. */
  public GuardRegistry guards() {
    if (registry == null) {
      registry =
          TestSettings.registry(
              guarded,
              this::cache,
              RULES,
              TestSettings.loads(4, Duration.ofSeconds(5), Duration.ofSeconds(5)),
              Transactions.NONE);
    }
    return registry;
  }

  private ValueCache cache(String name) {
    return caches.computeIfAbsent(name, n -> new LocalValueCache(CACHE, null));
  }
}

package io.bloomguard.guard;

import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import io.bloomguard.guard.internal.load.LoadSettings;
import java.time.Duration;
import java.util.List;

/** Builds guards over one filter for tests. */
final class Guards {

  static final CacheSettings CACHE =
      TestSettings.cache(
          Duration.ofMinutes(10),
          Duration.ofSeconds(30),
          0.2,
          1_000,
          1_000,
          Duration.ofSeconds(10));

  private static final KeyRules RULES = new KeyRules(256);

  final KnownKeys store;
  final OutcomeCounters counters = new OutcomeCounters();
  final ValueCache cache;
  final GuardRegistry registry;
  final EntryGuard<String> guard;

  private Guards(
      KnownKeys store, ValueCache cache, UnknownPolicy policy, LoadSettings loads, KeyRules rules) {
    this(store, cache, policy, loads, rules, GuardListener.NONE, Transactions.NONE);
  }

  private Guards(
      KnownKeys store,
      ValueCache cache,
      UnknownPolicy policy,
      LoadSettings loads,
      KeyRules rules,
      GuardListener listener,
      Transactions transactions) {
    this.store = store;
    this.cache = cache;
    this.registry =
        TestSettings.registry(
            List.of(
                GuardedFilters.of(
                    "products", store, policy, counters, listener, Duration.ofMinutes(10))),
            name -> cache,
            rules,
            loads,
            transactions);
    this.guard =
        registry.guard("products", "products", ValueType.of(String.class), EntryPoint.METHOD);
  }

  static Guards over(KnownKeys store) {
    return new Guards(
        store, new LocalValueCache(CACHE, null), UnknownPolicy.OPEN, loads(32), RULES);
  }

  static Guards closed(KnownKeys store) {
    return new Guards(
        store, new LocalValueCache(CACHE, null), UnknownPolicy.CLOSED, loads(32), RULES);
  }

  static Guards under(KeyRules rules, KnownKeys store) {
    return new Guards(
        store, new LocalValueCache(CACHE, null), UnknownPolicy.OPEN, loads(32), rules);
  }

  static Guards with(KnownKeys store, ValueCache cache, LoadSettings loads) {
    return new Guards(store, cache, UnknownPolicy.OPEN, loads, RULES);
  }

  static Guards heardBy(GuardListener listener, ValueCache cache, LoadSettings loads) {
    return new Guards(
        new KnownKeys("1", "2", "3"),
        cache,
        UnknownPolicy.OPEN,
        loads,
        RULES,
        listener,
        Transactions.NONE);
  }

  static Guards within(Transactions transactions, ValueCache cache) {
    return new Guards(
        new KnownKeys("1", "2", "3"),
        cache,
        UnknownPolicy.OPEN,
        loads(32),
        RULES,
        GuardListener.NONE,
        transactions);
  }

  static LoadSettings loads(int maxConcurrent) {
    return TestSettings.loads(maxConcurrent, Duration.ofSeconds(5), Duration.ofSeconds(60));
  }

  long count(Outcome outcome) {
    return counters.count(EntryPoint.METHOD, outcome);
  }

  long total() {
    long sum = 0;
    for (Outcome outcome : Outcome.values()) {
      sum += counters.count(outcome);
    }
    return sum;
  }
}

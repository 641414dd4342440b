package io.bloomguard.guard;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.Rejection;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import io.bloomguard.guard.internal.verify.Arrivals;
import io.bloomguard.guard.internal.verify.RowKeys;
import io.bloomguard.guard.internal.verify.Verification;
import io.bloomguard.guard.internal.verify.VerifySettings;
import io.bloomguard.guard.internal.verify.WrongRejectionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Guards over one filter whose rejections are verified, by a clock that stands still. */
final class VerifiedGuards {

  static final VerifySettings FIRST_100 = first(100, WrongRejectionPolicy.DISARM);

  final KnownKeys store;
  final OutcomeCounters counters = new OutcomeCounters();
  final Enforcement enforcement = new LocalEnforcement();
  final AtomicReference<Arrivals> arrivals = new AtomicReference<>(Arrivals.NONE);
  final AtomicReference<RowKeys> rowKeys = new AtomicReference<>(RowKeys.NONE);
  final AtomicLong nanos = new AtomicLong();
  final ValueCache cache;
  final Verification verification;
  final EntryGuard<String> guard;

  VerifiedGuards(KnownKeys store, VerifySettings settings) {
    this(store, settings, UnknownPolicy.OPEN, Transactions.NONE, 32);
  }

  VerifiedGuards(
      KnownKeys store,
      VerifySettings settings,
      UnknownPolicy policy,
      Transactions transactions,
      int places) {
    this(store, new LocalValueCache(Guards.CACHE, null), settings, policy, transactions, places);
  }

  VerifiedGuards(
      KnownKeys store,
      ValueCache cache,
      VerifySettings settings,
      UnknownPolicy policy,
      Transactions transactions,
      int places) {
    this.store = store;
    this.cache = cache;
    this.verification =
        new Verification(
            "products",
            store,
            enforcement,
            FilterMode.ENFORCE,
            settings,
            new Arrivals() {
              @Override
              public boolean expected() {
                return arrivals.get().expected();
              }

              @Override
              public boolean completeSince(long moment) {
                return arrivals.get().completeSince(moment);
              }
            },
            new RowKeys() {
              @Override
              public boolean isKnown() {
                return rowKeys.get().isKnown();
              }

              @Override
              public Answer of(String key) {
                return rowKeys.get().of(key);
              }
            },
            VerifiedGuards::onAnotherThread,
            nanos::get);
    GuardRegistry registry =
        TestSettings.registry(
            List.of(
                new GuardedFilter(
                    "products",
                    store,
                    policy,
                    counters,
                    GuardListener.NONE,
                    DeniedKeyListener.NONE,
                    Duration.ofMinutes(10),
                    verification,
                    KeyFolding.EXACT,
                    Rejection.ABSENT,
                    null)),
            name -> cache,
            new KeyRules(256),
            Guards.loads(places),
            transactions);
    this.guard =
        registry.guard(
            "products",
            "products",
            ValueType.of(String.class),
            EntryPoint.METHOD,
            "Shop.byId(String)");
  }

  private static void onAnotherThread(Runnable question) {
    CompletableFuture.runAsync(question, task -> new Thread(task, "verdict").start()).join();
  }

  static VerifySettings first(int first, WrongRejectionPolicy policy) {
    return new VerifySettings(first, 0, 100, policy, policy);
  }

  static VerifySettings sample(double share, int maxPerSecond) {
    return new VerifySettings(
        0, share, maxPerSecond, WrongRejectionPolicy.COUNT, WrongRejectionPolicy.COUNT);
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

package io.bloomguard.guard;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.Rejection;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import io.bloomguard.guard.internal.load.LoadSettings;
import io.bloomguard.guard.internal.verify.RowKeys;
import io.bloomguard.guard.internal.verify.Verification;
import io.bloomguard.guard.internal.verify.VerifySettings;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/** Filters of tests, of which little is configured. */
public final class GuardedFilters {

  private GuardedFilters() {}

  /**
   * A filter that rejects the keys that it does not hold, tells nothing of them, verifies no
   * rejection, and holds each key equal to itself alone.
   */
  public static GuardedFilter of(
      String name,
      MembershipStore store,
      UnknownPolicy onUnknown,
      OutcomeCounters counters,
      GuardListener listener,
      Duration journalRetention) {
    return of(name, store, onUnknown, counters, listener, DeniedKeyListener.NONE, journalRetention);
  }

  /** The same with a listener for the keys that are denied. */
  static GuardedFilter of(
      String name,
      MembershipStore store,
      UnknownPolicy onUnknown,
      OutcomeCounters counters,
      GuardListener listener,
      DeniedKeyListener deniedKeys,
      Duration journalRetention) {
    return new GuardedFilter(
        name,
        store,
        onUnknown,
        counters,
        listener,
        deniedKeys,
        journalRetention,
        unverified(name, store),
        KeyFolding.EXACT,
        Rejection.ABSENT,
        null);
  }

  /** The guards of one filter that passes keys while it cannot decide, outside of transactions. */
  public static GuardRegistry registry(
      String filter,
      MembershipStore store,
      Function<String, ValueCache> newCache,
      LoadSettings loads) {
    return TestSettings.registry(
        List.of(
            of(
                filter,
                store,
                UnknownPolicy.OPEN,
                new OutcomeCounters(),
                GuardListener.NONE,
                Duration.ofMinutes(10))),
        newCache,
        new KeyRules(256),
        loads,
        Transactions.NONE);
  }

  /** The guard's side of a filter that an operator can arm, and let observe. */
  public static GuardedFilter operated(
      ManagedFilter filter, UnknownPolicy onUnknown, OutcomeCounters counters) {
    return new GuardedFilter(
        filter.name(),
        filter.store(),
        onUnknown,
        counters,
        GuardListener.NONE,
        DeniedKeyListener.NONE,
        Duration.ofMinutes(10),
        new Verification(
            filter.name(),
            filter.store(),
            filter.store().enforcement(),
            FilterMode.ENFORCE,
            VerifySettings.OFF,
            filter.arrivals(),
            RowKeys.NONE,
            Runnable::run,
            System::nanoTime),
        KeyFolding.EXACT,
        Rejection.ABSENT,
        null);
  }

  /** Lets no rejection through, and each take effect. */
  public static Verification unverified(String filter, MembershipStore store) {
    return Verification.off(filter, store);
  }
}

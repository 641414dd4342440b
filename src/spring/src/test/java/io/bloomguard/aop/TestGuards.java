package io.bloomguard.aop;

import static io.bloomguard.guard.internal.verify.WrongRejectionPolicy.DISARM;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.DeniedKeyListener;
import io.bloomguard.guard.FilterMode;
import io.bloomguard.guard.LocalEnforcement;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.PendingAdd;
import io.bloomguard.guard.SlowCopies;
import io.bloomguard.guard.TestSettings;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.CacheOverrides;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.KeyTypes;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.OwnedValues;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.guard.internal.Rejection;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.cache.ValueCaches;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import io.bloomguard.guard.internal.verify.Arrivals;
import io.bloomguard.guard.internal.verify.RowKeys;
import io.bloomguard.guard.internal.verify.Verification;
import io.bloomguard.guard.internal.verify.VerifySettings;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Real guards over exact sets of keys, so that a test knows every answer. */
public final class TestGuards implements EntryGuards {

  /** Finds the classes that carry {@link Owned}, in place of entities. */
  public static final OwnedValues OWNED =
      new OwnedValues(
          () -> type -> type.isAnnotationPresent(Owned.class) ? "is a JPA entity" : null);

  /** Marks a class whose instances belong to one caller. */
  @Retention(RetentionPolicy.RUNTIME)
  @Inherited
  public @interface Owned {}

  /** The keys that the filters "products" and "orders" hold. */
  public final Set<String> keys = ConcurrentHashMap.newKeySet();

  public final OutcomeCounters outcomes = new OutcomeCounters();
  public volatile boolean doubtful;

  /** The copies of the filter in other processes. */
  public final SlowCopies copies = new SlowCopies();

  /** The calls to remove keys, each with its keys. */
  public final List<List<String>> removals = new CopyOnWriteArrayList<>();

  /** Whether keys can be removed from the filters. */
  public volatile boolean removes;

  /** Whether what is known queues for a place while the filter cannot tell. */
  public volatile boolean hinted;

  private final GuardRegistry registry;

  private final Rejection rejection;
  private final int passing;

  public TestGuards(Transactions transactions, UnknownPolicy policy) {
    this(transactions, policy, Rejection.ABSENT);
  }

  /**
   * Guards of filters that reject what they are told to.
   *
   * @param rejection of both filters
   */
  public TestGuards(Transactions transactions, UnknownPolicy policy, Rejection rejection) {
    this(transactions, policy, rejection, 0);
  }

  /**
   * Guards of filters that let some rejected keys pass.
   *
   * @param passing how many, in all
   */
  public TestGuards(
      Transactions transactions, UnknownPolicy policy, Rejection rejection, int passing) {
    this.rejection = rejection;
    this.passing = passing;
    MembershipStore store =
        new MembershipStore() {
          @Override
          public Membership check(String key) {
            return doubtful
                ? Membership.UNKNOWN
                : keys.contains(key) ? Membership.POSSIBLY_PRESENT : Membership.ABSENT;
          }

          @Override
          public boolean likelyPresent(String key) {
            return hinted && keys.contains(key);
          }

          @Override
          public PendingAdd beginAdd(List<String> added) {
            return copies.add("products", addEach(added));
          }

          @Override
          public boolean[] addEach(List<String> added) {
            boolean[] isNew = new boolean[added.size()];
            for (int i = 0; i < isNew.length; i++) {
              isNew[i] = keys.add(added.get(i));
            }
            return isNew;
          }

          @Override
          public long generation() {
            return 1;
          }

          @Override
          public boolean removes() {
            return removes;
          }

          @Override
          public int removeAll(List<String> gone, long generation) {
            removals.add(gone);
            return (int) gone.stream().filter(keys::remove).count();
          }
        };
    CacheSettings cache =
        TestSettings.cache(
            Duration.ofMinutes(1), Duration.ofMinutes(1), 0, 1000, 1000, Duration.ofSeconds(10));
    this.registry =
        TestSettings.registry(
            List.of(filter("products", store, policy), filter("orders", store, policy)),
            ValueCaches.alike(cache, name -> new LocalValueCache(cache, null)),
            new KeyRules(256),
            TestSettings.loads(4, Duration.ofSeconds(5), Duration.ofMinutes(1)),
            transactions,
            OWNED,
            new KeyTypes());
  }

  public TestGuards() {
    this(Transactions.NONE, UnknownPolicy.OPEN);
  }

  private GuardedFilter filter(String name, MembershipStore store, UnknownPolicy policy) {
    return new GuardedFilter(
        name,
        store,
        policy,
        outcomes,
        GuardListener.NONE,
        DeniedKeyListener.NONE,
        Duration.ofMinutes(10),
        new Verification(
            name,
            store,
            new LocalEnforcement(),
            FilterMode.ENFORCE,
            new VerifySettings(0, 0, passing, DISARM, DISARM),
            Arrivals.NONE,
            RowKeys.NONE,
            Runnable::run,
            () -> 0), // a clock that stands still
        KeyFolding.EXACT,
        rejection,
        null);
  }

  @Override
  public Reject rejects(String filter) {
    return registry.rejects(filter);
  }

  @Override
  public Set<String> filters() {
    return registry.filters();
  }

  @Override
  public <V> EntryGuard<V> guard(
      String filter,
      String cache,
      ValueType<V> type,
      EntryPoint entry,
      String caller,
      @Nullable CacheOverrides overrides) {
    return registry.guard(filter, cache, type, entry, caller, overrides);
  }
}

package io.bloomguard.guard.internal.decision;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.CacheUseException;
import io.bloomguard.guard.DeniedKeyListener;
import io.bloomguard.guard.ExactSource;
import io.bloomguard.guard.PendingWrites;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.SubjectException;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.UnknownFilterException;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.CacheOverrides;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.FilterRefusal;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.KeyScope;
import io.bloomguard.guard.internal.KeyTypes;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.KeyedAttribute;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.OwnedValues;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.guard.internal.Rejection;
import io.bloomguard.guard.internal.SubjectStore;
import io.bloomguard.guard.internal.Subjects;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.PlannedCache;
import io.bloomguard.guard.internal.cache.Sharing;
import io.bloomguard.guard.internal.cache.ValueCaches;
import io.bloomguard.guard.internal.confirm.Confirmations;
import io.bloomguard.guard.internal.load.CacheLoads;
import io.bloomguard.guard.internal.load.LoadSettings;
import io.bloomguard.guard.internal.load.LoadThreads;
import io.bloomguard.guard.internal.load.SharedBounds;
import io.bloomguard.guard.internal.verify.Verification;
import io.bloomguard.guard.internal.writes.FilterWrites;
import io.bloomguard.guard.internal.writes.OpenEnds;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All guards of an application over its filters and caches. */
public final class GuardRegistry implements EntryGuards, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(GuardRegistry.class);

  private static final ValueType<Object> UNTYPED = new ValueType<>(Object.class);

  private final Map<String, Guarded> filters = new ConcurrentHashMap<>();

  /** The first filter of each cache; a cache with a filter's name belongs to that filter. */
  private final ConcurrentMap<String, GuardedFilter> users = new ConcurrentHashMap<>();

  private final ConcurrentMap<String, Planned> caches = new ConcurrentHashMap<>();

  /** The caches of each filter that keep values only while all writes are seen. */
  private final ConcurrentMap<String, Set<String>> automaticCaches = new ConcurrentHashMap<>();

  /** The filters of whose rows a write is known that is not seen. */
  private final Set<String> unseen = ConcurrentHashMap.newKeySet();

  private final ValueCaches newCaches;
  private final KeyRules rules;
  private final SharedBounds shared;
  private final OpenEnds ends;
  private final OwnedValues owned;
  private final KeyTypes keyTypes;
  private final PendingWrites pending;

  /**
   * @param filters the configured filters
   * @param newCaches makes the value caches
   * @param rules the rules for keys; each filter decides which keys are equal
   * @param loadSettings the bounds on loads; all filters share one bulkhead, since it protects one
   *     database
   * @param transactions the application's transactions
   * @param owned finds values that must not be shared
   * @param keyTypes gets the callers of a filter with the types of their keys
   * @param pending the unwritten writes of the calling threads
   * @param threads the threads of asynchronous calls, which the registry closes
   */
  public GuardRegistry(
      List<GuardedFilter> filters,
      ValueCaches newCaches,
      KeyRules rules,
      LoadSettings loadSettings,
      Transactions transactions,
      OwnedValues owned,
      KeyTypes keyTypes,
      PendingWrites pending,
      LoadThreads threads) {
    this.newCaches = newCaches;
    this.rules = rules;
    this.shared = new SharedBounds(threads, loadSettings, transactions);
    this.ends = new OpenEnds(threads, loadSettings.longestWrite());
    this.owned = owned;
    this.keyTypes = keyTypes;
    this.pending = pending;
    for (GuardedFilter filter : filters) {
      this.filters.put(filter.name(), guarded(filter));
      this.users.put(filter.name(), filter);
    }
  }

  private Guarded guarded(GuardedFilter filter) {
    ExactSource exact = filter.rejection().confirm();
    Confirmations confirmations =
        exact == null
            ? null
            : new Confirmations(
                filter.name(), exact, shared.bulkhead(), shared.threads(), filter.listener());
    return new Guarded(
        filter, writes(filter, FilterWrites.by(rules(filter)), confirmations), confirmations);
  }

  private FilterWrites writes(
      GuardedFilter filter,
      Function<Object, String> canonical,
      @Nullable Confirmations confirmations) {
    return FilterWrites.of(filter, canonical, shared.transactions(), ends, confirmations);
  }

  private KeyRules rules(GuardedFilter filter) {
    return rules.with(filter.folding()).with(filter.store().keyForm());
  }

  @Override
  public Set<String> filters() {
    return Set.copyOf(filters.keySet());
  }

  @Override
  public Reject rejects(String filter) {
    return require(filter).filter().rejection().reject();
  }

  @Override
  public @Nullable String asked(String filter, Class<?> keyType, String caller) {
    if (CharSequence.class.isAssignableFrom(keyType) && require(filter).isBlacklist()) {
      keyTypes.spelled(filter, caller);
    }
    if (require(filter).filter().scope() != null) {
      return keyTypes.asked(filter, List.class, caller);
    }
    return keyType == List.class && !require(filter).filter().folding().keepsParts()
        ? "Its keys.trim and keys.normalise hold for a whole key, not for its parts"
        : keyTypes.asked(filter, keyType, caller);
  }

  @Override
  public @Nullable FilterRefusal keyed(String filter, KeyedAttribute key) {
    Guarded guarded = require(filter);
    if (key.shared() && guarded.filter().store().removes()) {
      return new FilterRefusal(
          ("names %s, the id of another row, and each row would count it once more in"
                  + " filter '%s', whose layout is counting")
              .formatted(key.attribute(), filter),
          "Annotate the entity of that id with the same filter, whose writes then count alone, or"
              + " use another layout");
    }
    if (key.removes()) {
      guarded.writes().removeByRows();
    }
    return keyTypes.keyed(
        filter, guarded.filter().scope() == null ? key : key.asPart(), guarded.filter().folding());
  }

  @Override
  public @Nullable KeyScope scope(String filter) {
    return require(filter).filter().scope();
  }

  @Override
  public <V> EntryGuard<V> guard(
      String filter,
      String cache,
      ValueType<V> type,
      EntryPoint entry,
      String caller,
      @Nullable CacheOverrides overrides) {
    Guarded guarded = requireWhole(filter);
    if (caller.isEmpty()) {
      keyTypes.askedByCode(filter);
    }
    if (guarded.isBlacklist()) {
      // Has no cache; and the keys that the calling thread may be writing are on no list yet.
      return uncached(guarded, type, entry, new Policy.Blacklist(guarded.filter()));
    }
    Planned planned = used(guarded, cache, caller, overrides);
    ValueType<V> values =
        type.shared() && owned.reasonOfType(type.type()) != null ? type.unshared() : type;
    if (overrides != null) {
      planned.cache().requireReadable(values);
    }
    boolean automatic = overrides != null && overrides.automatic();
    BooleanSupplier keepsValues = () -> !automatic || !unseen.contains(filter);
    if (automatic) {
      automaticCaches.computeIfAbsent(filter, any -> ConcurrentHashMap.newKeySet()).add(cache);
    }
    Policy policy = new FilterPolicy(guarded.filter(), planned.steps(), pending);
    return guard(guarded, planned.steps(), values, keepsValues, entry, policy, true, caller);
  }

  @Override
  public KeyWrites writes(String filter, String cache, String caller) {
    Guarded guarded = requireWhole(filter);
    if (!guarded.isBlacklist()) {
      var unused = used(guarded, cache, caller, null);
    }
    return guarded.writes();
  }

  /** A cache that holds entries of the filter's keys, which its writes reach from now on. */
  private Planned used(
      Guarded guarded, String cache, String caller, @Nullable CacheOverrides overrides) {
    requireSameKeys(guarded.filter(), cache);
    String filter = guarded.filter().name();
    Planned planned = planned(cache, filter);
    planned.cache().require(filter, caller, overrides);
    guarded.writes().reach(planned.steps());
    return planned;
  }

  /** A guard that keeps no values, and needs no name of its caller. */
  private <V> Guard<V> uncached(
      Guarded guarded, ValueType<V> type, EntryPoint entry, Policy policy) {
    CacheLoads steps = steps(guarded.filter().name());
    return guard(guarded, steps, type, () -> true, entry, policy, false, "");
  }

  private CacheLoads steps(String filter) {
    return planned(filter, filter).steps();
  }

  /** Its callers leave the scope of their keys out, if they are methods. */
  private <V> Guard<V> guard(
      Guarded guarded,
      CacheLoads steps,
      ValueType<V> type,
      BooleanSupplier keepsValues,
      EntryPoint entry,
      Policy policy,
      boolean caches,
      String caller) {
    GuardedFilter filter = guarded.filter();
    KeyDecisions<V> decisions =
        new KeyDecisions<>(
            filter,
            rules(filter),
            steps,
            type,
            keepsValues,
            entry,
            KeyDecisions.scope(filter, entry, null));
    return new Guard<>(
        decisions,
        new Judge(decisions, policy, guarded.confirmations()),
        entry == EntryPoint.METHOD ? guarded.writes() : guarded.writes().ofCompleteKeys(),
        caches,
        caller);
  }

  @Override
  public boolean isBySubject(String filter) {
    return require(filter).filter().store() instanceof SubjectStore;
  }

  @Override
  public EntryGuard<Object> guard(String filter, String subject, EntryPoint entry) {
    GuardedFilter guarded = require(filter).filter();
    if (!(guarded.store() instanceof SubjectStore subjects)) {
      throw SubjectException.unexpected(filter);
    }
    Subjects.require(subject);
    GuardedFilter own = guarded.over(subjects.of(subject));
    Policy policy = new FilterPolicy(own, steps(filter), PendingWrites.NONE);
    Guarded whole = new Guarded(own, writes(own, FilterWrites.by(rules(own)), null), null);
    // A value's key would not name the subject, so none is kept.
    return uncached(whole, UNTYPED, entry, policy);
  }

  /** The guard of a filter that is turned off: every key passes, and none is stored. */
  <V> EntryGuard<V> unguarded(String filter, ValueType<V> type, EntryPoint entry) {
    GuardedFilter off =
        new GuardedFilter(
            filter,
            Unguarded.Nothing.STORED,
            UnknownPolicy.OPEN,
            new OutcomeCounters(),
            GuardListener.NONE,
            DeniedKeyListener.NONE,
            Duration.ofMinutes(10),
            Verification.off(filter, Unguarded.Nothing.STORED),
            KeyFolding.EXACT,
            Rejection.ABSENT,
            null);
    Guarded guarded = new Guarded(off, writes(off, String::valueOf, null), null);
    return uncached(guarded, type, entry, new Policy.Off());
  }

  @Override
  public boolean unseenWrites(String filter) {
    return automaticCaches.containsKey(filter) && unseen.add(filter);
  }

  @Override
  public void unseenWrite(String filter, String writer) {
    if (!unseenWrites(filter)) {
      return;
    }
    LOG.warn(
        "Filter '{}': {} writes its rows, and the guard does not see of which keys. Its caches are"
            + " emptied, and lookups with caching = AUTO keep no values from now on. Put @BloomKey"
            + " on the class of the rows and write them by it, or say by caching = VALUES that the"
            + " writes evict what they change",
        filter,
        writer);
    for (String cache : automaticCaches.getOrDefault(filter, Set.of())) {
      CacheLoads steps = planned(cache, filter).steps();
      try {
        // Not in the time of the statement: in Redis all keys are looked through.
        shared.threads().waiting().execute(() -> dropAll(cache, steps));
      } catch (RequestShedException e) {
        warnOfValues(cache, e);
      }
    }
  }

  private static void dropAll(String cache, CacheLoads steps) {
    try {
      steps.dropAll();
    } catch (CacheUnavailableException e) {
      warnOfValues(cache, e);
    }
  }

  private static void warnOfValues(String cache, RuntimeException why) {
    LOG.warn("Cache '{}': values stay until they expire: {}", cache, why.getMessage());
  }

  /** A filter that is not one by subject. */
  private Guarded requireWhole(String filter) {
    Guarded guarded = require(filter);
    if (guarded.filter().store() instanceof SubjectStore) {
      throw SubjectException.missing(filter);
    }
    return guarded;
  }

  private Guarded require(String filter) {
    Guarded guarded = filters.get(filter);
    if (guarded == null) {
      throw new UnknownFilterException(filter, filters.keySet());
    }
    return guarded;
  }

  private void requireSameKeys(GuardedFilter filter, String cache) {
    GuardedFilter other = users.putIfAbsent(cache, filter);
    if (other != null
        && !(other.folding().equals(filter.folding()) && scopeOf(other).equals(scopeOf(filter)))) {
      throw new CacheUseException(
          ("of filter '%s' cannot use the cache '%s': filter '%s' uses it, and the two have"
                  + " different 'keys', so that an entry would stand for different keys")
              .formatted(filter.name(), cache, other.name()),
          "Give it a cache of its own, or both filters the same 'keys'");
    }
  }

  private static String scopeOf(GuardedFilter filter) {
    KeyScope scope = filter.scope();
    return scope == null ? "" : scope.bean();
  }

  /** The value cache of a filter's name, made at the first call. */
  public ValueCache cache(String filter) {
    return planned(filter, filter).cache().get();
  }

  private Planned planned(String cache, String filter) {
    return caches.computeIfAbsent(
        cache,
        name -> {
          PlannedCache planned = new PlannedCache(name, filter, newCaches);
          Sharing sharing = new Sharing(name, owned, planned.copier());
          return new Planned(planned, new CacheLoads(planned, shared, sharing));
        });
  }

  /** Ends the waits of asynchronous callers, and the threads on which they continue. */
  @Override
  public void close() {
    shared.threads().close();
  }

  private record Planned(PlannedCache cache, CacheLoads steps) {}

  private record Guarded(
      GuardedFilter filter, FilterWrites writes, @Nullable Confirmations confirmations) {

    boolean isBlacklist() {
      return filter.rejection().reject() == Reject.PRESENT;
    }
  }
}

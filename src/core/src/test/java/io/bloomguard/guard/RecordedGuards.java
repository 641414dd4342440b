package io.bloomguard.guard;

import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.internal.CacheOverrides;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.FilterRefusal;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.KeyTypes;
import io.bloomguard.guard.internal.KeyedAttribute;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.OwnedValues;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.cache.ValueCaches;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import io.bloomguard.guard.internal.load.LoadThreads;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Real guards over exact sets of keys that remember each call to add. */
public final class RecordedGuards implements EntryGuards {

  private static final ValueType<Object> ANY = new ValueType<>(Object.class);

  /** The copies of all filters in other processes. */
  public final SlowCopies copies = new SlowCopies();

  private final Map<String, Keys> stores;
  private final GuardRegistry registry;
  private final Set<String> unseen = ConcurrentHashMap.newKeySet();

  public RecordedGuards(Transactions transactions, PendingWrites pending, String... filters) {
    this.stores =
        Stream.of(filters).collect(Collectors.toMap(Function.identity(), f -> new Keys(f, copies)));
    CacheSettings cache =
        TestSettings.cache(
            Duration.ofMinutes(1), Duration.ofMinutes(1), 0, 1000, 1000, Duration.ofSeconds(10));
    this.registry =
        new GuardRegistry(
            stores.entrySet().stream().map(e -> filter(e.getKey(), e.getValue())).toList(),
            ValueCaches.alike(cache, name -> new LocalValueCache(cache, null)),
            new KeyRules(256),
            TestSettings.loads(4, Duration.ofSeconds(5), Duration.ofSeconds(5)),
            transactions,
            new OwnedValues(() -> OwnedTypes.NONE),
            new KeyTypes(),
            pending,
            new LoadThreads(4, 1));
    filters().forEach(registry::guard);
  }

  private static GuardedFilter filter(String name, Keys store) {
    return GuardedFilters.of(
        name,
        store,
        UnknownPolicy.OPEN,
        store.outcomes,
        GuardListener.NONE,
        Duration.ofMinutes(10));
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

  @Override
  public @Nullable String asked(String filter, Class<?> keyType, String caller) {
    return registry.asked(filter, keyType, caller);
  }

  @Override
  public @Nullable FilterRefusal keyed(String filter, KeyedAttribute key) {
    return registry.keyed(filter, key);
  }

  /** The calls to add to a filter, each with its keys. */
  public List<List<String>> adds(String filter) {
    return store(filter).adds;
  }

  /** The keys that were removed from a filter, in their order. */
  public List<String> removed(String filter) {
    return store(filter).removed;
  }

  public boolean holds(String filter, Object key) {
    return store(filter).keys.contains(key.toString());
  }

  /** The filters of which writes were noted that are not seen. */
  public Set<String> unseen() {
    return unseen;
  }

  @Override
  public void unseenWrite(String filter, String writer) {
    unseen.add(filter);
  }

  public void refuse(String filter, boolean refuses) {
    store(filter).refuses = refuses;
  }

  public long count(String filter, Outcome outcome) {
    return store(filter).outcomes.count(EntryPoint.METHOD, outcome);
  }

  /** Whether a write of the key is open. */
  public boolean isBarred(String filter, Object key) {
    long asked = System.nanoTime();
    Long last = cache(filter).lastWrite(key.toString());
    return last != null && last - asked >= 0;
  }

  /** Whether a write of the key has ended lately. */
  public boolean isWritten(String filter, Object key) {
    long asked = System.nanoTime();
    Long last = cache(filter).lastWrite(key.toString());
    return last != null && last - asked < 0;
  }

  /** Caches a value, or a null entry. */
  public void keep(String filter, Object key, Object value) {
    Lease lease = Objects.requireNonNull(cache(filter).tryLease(key.toString()));
    cache(filter).store(lease, value);
  }

  public boolean isKept(String filter, Object key) {
    return cache(filter).lookup(key.toString(), ANY) instanceof CacheLookup.Hit;
  }

  private ValueCache cache(String filter) {
    return registry.cache(filter);
  }

  /** Forgets everything that tests ask for. */
  public void clear() {
    stores.values().forEach(Keys::clear);
    copies.clear();
  }

  private Keys store(String filter) {
    return Objects.requireNonNull(stores.get(filter));
  }

  /** Whether keys can be removed from the filters. */
  public void setRemoves(boolean removes) {
    stores.values().forEach(keys -> keys.removes = removes);
  }

  private static final class Keys implements MembershipStore {

    private final String name;
    private final SlowCopies copies;
    final Set<String> keys = ConcurrentHashMap.newKeySet();
    final List<List<String>> adds = new CopyOnWriteArrayList<>();
    final List<String> removed = new CopyOnWriteArrayList<>();
    final OutcomeCounters outcomes = new OutcomeCounters();
    volatile boolean refuses;
    volatile boolean removes = true;

    Keys(String name, SlowCopies copies) {
      this.name = name;
      this.copies = copies;
    }

    @Override
    public PendingAdd beginAdd(List<String> added) {
      return copies.add(name, addEach(added));
    }

    @Override
    public Membership check(String key) {
      return keys.contains(key) ? Membership.POSSIBLY_PRESENT : Membership.ABSENT;
    }

    @Override
    public boolean[] addEach(List<String> added) {
      if (refuses) {
        throw new AddFailedException("refused by the test", null);
      }
      adds.add(List.copyOf(added));
      keys.addAll(added);
      boolean[] isNew = new boolean[added.size()];
      Arrays.fill(isNew, true);
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
      removed.addAll(gone);
      return gone.size();
    }

    void clear() {
      keys.clear();
      removed.clear();
      adds.clear();
      refuses = false;
    }
  }
}

package io.bloomguard.guard.internal.decision;

import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.OwnedTypes;
import io.bloomguard.guard.PendingAdd;
import io.bloomguard.guard.PendingWrites;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.CacheOverrides;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.KeyTypes;
import io.bloomguard.guard.internal.OwnedValues;
import io.bloomguard.guard.internal.Subjects;
import io.bloomguard.guard.internal.cache.ValueCaches;
import io.bloomguard.guard.internal.load.LoadSettings;
import io.bloomguard.guard.internal.load.LoadThreads;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The guards of an application in which the guard is turned off: every call passes as if there were
 * no filter and no cache, and no put is stored.
 */
public final class Unguarded implements EntryGuards {

  private static final CacheSettings NO_CACHE =
      new CacheSettings(Duration.ZERO, Duration.ZERO, 0, 0, 0, Duration.ZERO, Duration.ZERO);

  private final GuardRegistry registry =
      new GuardRegistry(
          List.of(),
          ValueCaches.alike(NO_CACHE, name -> NoEntries.CACHE),
          new KeyRules(1),
          new LoadSettings(1, Duration.ZERO, Duration.ZERO, Duration.ZERO, 1, Duration.ZERO),
          Transactions.NONE,
          new OwnedValues(() -> OwnedTypes.NONE),
          new KeyTypes(),
          PendingWrites.NONE,
          new LoadThreads(1, 1));

  /** No filter is known. */
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
    return registry.unguarded(filter, type, entry);
  }

  @Override
  public EntryGuard<Object> guard(String filter, String subject, EntryPoint entry) {
    Subjects.require(subject);
    return registry.unguarded(filter, new ValueType<>(Object.class), entry);
  }

  /** The filter that takes nothing, under keys of any kind. */
  enum Nothing implements MembershipStore {
    STORED;

    @Override
    public Membership check(String key) {
      return Membership.UNKNOWN;
    }

    @Override
    public boolean answersInMemory() {
      return true;
    }

    @Override
    public boolean[] addEach(List<String> keys) {
      return new boolean[keys.size()];
    }

    @Override
    public PendingAdd beginAdd(List<String> keys, String claim) {
      return beginAdd(keys);
    }
  }
}

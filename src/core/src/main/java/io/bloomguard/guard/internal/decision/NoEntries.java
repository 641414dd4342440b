package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.Lease;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueType;
import org.jspecify.annotations.Nullable;

/** The value cache of keys under which nothing may be kept: it gives no lease. */
enum NoEntries implements ValueCache {
  CACHE;

  @Override
  public <V> CacheLookup<V> lookup(String key, ValueType<V> type) {
    return CacheLookup.miss();
  }

  @Override
  public @Nullable Lease tryLease(String key) {
    return null;
  }

  @Override
  public StoreResult store(Lease lease, @Nullable Object value, ValueType<?> type) {
    return StoreResult.REFUSED;
  }

  @Override
  public void release(Lease lease) {}

  @Override
  public void beginWrite(String key, String token) {}

  @Override
  public void endWrite(String key, String token) {}

  @Override
  public @Nullable Long lastWrite(String key) {
    return null;
  }
}

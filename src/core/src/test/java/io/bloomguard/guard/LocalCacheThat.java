package io.bloomguard.guard;

import io.bloomguard.guard.internal.cache.LocalValueCache;
import org.jspecify.annotations.Nullable;

/** A local value cache that does one thing otherwise. */
abstract class LocalCacheThat implements ValueCache {

  private final ValueCache cache;

  LocalCacheThat() {
    this(new LocalValueCache(Guards.CACHE, null));
  }

  LocalCacheThat(ValueCache cache) {
    this.cache = cache;
  }

  @Override
  public <V> CacheLookup<V> lookup(String key, ValueType<V> type) {
    return cache.lookup(key, type);
  }

  @Override
  public @Nullable Lease tryLease(String key) {
    return cache.tryLease(key);
  }

  @Override
  public StoreResult store(Lease lease, @Nullable Object value, ValueType<?> type) {
    return cache.store(lease, value, type);
  }

  @Override
  public void release(Lease lease) {
    cache.release(lease);
  }

  @Override
  public void beginWrite(String key, String token) {
    cache.beginWrite(key, token);
  }

  @Override
  public void endWrite(String key, String token) {
    cache.endWrite(key, token);
  }

  @Override
  public @Nullable Long lastWrite(String key) {
    return cache.lastWrite(key);
  }
}

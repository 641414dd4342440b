package io.bloomguard.redis;

import io.bloomguard.guard.AsyncValueCache;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.Cached;
import io.bloomguard.guard.Lease;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A value cache whose hash secret is still to be had from Redis: out of reach until it is. */
public final class LateValueCache implements ValueCache {

  private final Supplier<? extends @Nullable ValueCache> cache;

  /**
   * @param cache the cache, or null as long as there is no secret; asked again each time, so it
   *     must be quick to answer
   */
  public LateValueCache(Supplier<? extends @Nullable ValueCache> cache) {
    this.cache = cache;
  }

  @Override
  public <V> Cached<V> lookup(String key, ValueType<V> type) {
    return required().lookup(key, type);
  }

  @Override
  public <V> List<Cached<V>> lookupAll(List<String> keys, ValueType<V> type) {
    return required().lookupAll(keys, type);
  }

  @Override
  public <V> Cached<V> lookAgain(String key, ValueType<V> type) {
    return required().lookAgain(key, type);
  }

  @Override
  public @Nullable Lease tryLease(String key) {
    return required().tryLease(key);
  }

  @Override
  public StoreResult store(
      Lease lease, @Nullable Object value, ValueType<?> type, Duration loadTime) {
    return required().store(lease, value, type, loadTime);
  }

  @Override
  public void release(Lease lease) {
    required().release(lease);
  }

  @Override
  public void beginWrite(String key, String token) {
    required().beginWrite(key, token);
  }

  @Override
  public void endWrite(String key, String token) {
    required().endWrite(key, token);
  }

  @Override
  public @Nullable Duration sinceWrite(String key) {
    return required().sinceWrite(key);
  }

  @Override
  public void beginWrites(List<String> keys, String token) {
    required().beginWrites(keys, token);
  }

  @Override
  public void endWrites(List<String> keys, String token) {
    required().endWrites(keys, token);
  }

  @Override
  public AsyncValueCache async(Executor threads) {
    return required().async(threads);
  }

  private ValueCache required() {
    ValueCache ready = cache.get();
    if (ready == null) {
      throw new CacheUnavailableException(
          "The shared hash secret cannot be had from Redis yet", null);
    }
    return ready;
  }
}

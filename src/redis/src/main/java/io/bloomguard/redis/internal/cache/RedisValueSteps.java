package io.bloomguard.redis.internal.cache;

import io.bloomguard.guard.AsyncValueCache;
import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.Lease;
import io.bloomguard.guard.ValueCache.StoreResult;
import io.bloomguard.guard.ValueType;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The steps of {@link RedisValueCache} without a waiting thread: Redis' answers, and the ends of
 * the waits for them, go to an executor at once, which reads them.
 *
 * @param threads the executor
 */
@SuppressWarnings(
    "NullAway") // JDK 17 reads no annotations of type arguments in other modules' classes
record RedisValueSteps(RedisValueCache cache, Executor threads) implements AsyncValueCache {

  @Override
  public <V> CompletableFuture<CacheLookup<V>> lookup(String key, ValueType<V> type) {
    return cache.looking(key, type, false).later(threads);
  }

  @Override
  public <V> CompletableFuture<CacheLookup<V>> lookAgain(String key, ValueType<V> type) {
    return cache.looking(key, type, true).later(threads);
  }

  @Override
  public CompletableFuture<@Nullable Lease> tryLease(String key) {
    return cache.taking(key).later(threads);
  }

  @Override
  public CompletableFuture<StoreResult> store(
      Lease lease, @Nullable Object value, ValueType<?> type) {
    return cache.storing(lease, value, type).later(threads);
  }

  @Override
  public CompletableFuture<@Nullable Void> release(Lease lease) {
    return cache.releasing(lease).later(threads);
  }

  @Override
  public CompletableFuture<@Nullable Long> lastWrite(String key) {
    return cache.asking(key).later(threads);
  }
}

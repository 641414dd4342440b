package io.bloomguard.guard;

import io.bloomguard.guard.ValueCache.StoreResult;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a load at a {@link ValueCache}, for callers whose thread must not wait.
 *
 * <p>Each step does the same as its namesake. Its answer comes within the time that the namesake
 * would block for, and fails with the exception that the namesake would throw. An answer that is
 * not available at once comes on a thread of the executor that the view was made for.
 */
public interface AsyncValueCache {

  /**
   * {@link ValueCache#lookup}.
   *
   * @param <V> the type of the value
   * @param key a canonical key
   * @param type the type that the value is read as
   * @return the entry for the key
   */
  <V> CompletableFuture<CacheLookup<V>> lookup(String key, ValueType<V> type);

  /**
   * {@link ValueCache#lookAgain}.
   *
   * @param <V> the type of the value
   * @param key a canonical key
   * @param type the type that the value is read as
   * @return the entry for the key
   */
  <V> CompletableFuture<CacheLookup<V>> lookAgain(String key, ValueType<V> type);

  /**
   * {@link ValueCache#tryLease}.
   *
   * @param key a canonical key
   * @return the lease; null while another caller holds it
   */
  CompletableFuture<@Nullable Lease> tryLease(String key);

  /**
   * {@link ValueCache#store(Lease, Object, ValueType)}.
   *
   * @param lease the lease, which this ends
   * @param value the value, null for a null entry
   * @param type the type that the value will be read as
   * @return whether it was stored, and why not
   */
  CompletableFuture<StoreResult> store(Lease lease, @Nullable Object value, ValueType<?> type);

  /**
   * {@link ValueCache#release}.
   *
   * @param lease the lease, which need not be held any longer
   * @return complete once the lease is ended
   */
  CompletableFuture<@Nullable Void> release(Lease lease);

  /**
   * {@link ValueCache#lastWrite}.
   *
   * @param key a canonical key
   * @return the latest moment at which the last write may have ended; null if none ended lately
   */
  CompletableFuture<@Nullable Long> lastWrite(String key);

  /**
   * {@return the steps of a cache on the calling thread, for a cache that answers from memory}
   *
   * @param cache the cache, none of whose steps waits
   */
  static AsyncValueCache onCallingThread(ValueCache cache) {
    return new AsyncValueCache() {
      @Override
      public <V> CompletableFuture<CacheLookup<V>> lookup(String key, ValueType<V> type) {
        return done(() -> cache.lookup(key, type));
      }

      @Override
      public <V> CompletableFuture<CacheLookup<V>> lookAgain(String key, ValueType<V> type) {
        return done(() -> cache.lookAgain(key, type));
      }

      @Override
      public CompletableFuture<@Nullable Lease> tryLease(String key) {
        return done(() -> cache.tryLease(key));
      }

      @Override
      public CompletableFuture<StoreResult> store(
          Lease lease, @Nullable Object value, ValueType<?> type) {
        return done(() -> cache.store(lease, value, type));
      }

      @Override
      public CompletableFuture<@Nullable Void> release(Lease lease) {
        return done(
            () -> {
              cache.release(lease);
              return null;
            });
      }

      @Override
      public CompletableFuture<@Nullable Long> lastWrite(String key) {
        return done(() -> cache.lastWrite(key));
      }
    };
  }

  private static <T extends @Nullable Object> CompletableFuture<T> done(Supplier<T> step) {
    try {
      return CompletableFuture.completedFuture(step.get());
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}

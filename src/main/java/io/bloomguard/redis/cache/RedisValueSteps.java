package io.bloomguard.redis.cache;

import io.bloomguard.guard.AsyncValueCache;
import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.Lease;
import io.bloomguard.guard.ValueCache.StoreResult;
import io.bloomguard.guard.ValueType;
import io.bloomguard.redis.client.LuaScript;
import io.bloomguard.redis.client.RedisConnections;
import io.bloomguard.redis.client.RedisLink;
import io.bloomguard.redis.client.RedisUnavailableException;
import io.bloomguard.redis.client.Replies;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The steps of {@link RedisValueCache} without a waiting thread: Redis' answers, and the ends of
 * the waits for them, go to an executor at once, which reads them.
 */
final class RedisValueSteps implements AsyncValueCache {

  private final RedisValueCache cache;
  private final RedisLink link;
  private final boolean timed;
  private final Executor threads;

  /**
   * @param timed whether values fall due before they end
   */
  RedisValueSteps(RedisValueCache cache, RedisLink link, boolean timed, Executor threads) {
    this.cache = cache;
    this.link = link;
    this.timed = timed;
    this.threads = threads;
  }

  @Override
  public <V> CompletableFuture<CacheLookup<V>> lookup(String key, ValueType<V> type) {
    return timed
        ? read(
            link.inTime(cache.lookWithTime(key)),
            stored -> cache.read(stored, type, false),
            cache::unavailable)
        : read(link.inTime(cache.look(key)), bytes -> cache.read(bytes, type), cache::unavailable);
  }

  @Override
  public <V> CompletableFuture<CacheLookup<V>> lookAgain(String key, ValueType<V> type) {
    return timed
        ? patiently(
            () -> Replies.inTime(cache.getWithTime(key), RedisConnections.WRITE),
            stored -> cache.read(stored, type, true))
        : patiently(
            () -> Replies.inTime(cache.get(key), RedisConnections.WRITE),
            bytes -> cache.read(bytes, type));
  }

  @Override
  public CompletableFuture<@Nullable Lease> tryLease(String key) {
    String token = UUID.randomUUID().toString();
    CacheUnavailableException quiet = cache.quiet();
    if (quiet != null) {
      return CompletableFuture.failedFuture(quiet);
    }
    return this.<String, @Nullable Lease>answered(
            Replies.inTime(cache.taking(key, token), RedisConnections.WRITE),
            taken -> taken == null ? null : new Lease(key, token))
        .whenComplete(
            (lease, failure) -> {
              if (failure != null) {
                // The lease may have been taken all the same, without a holder to release it.
                cache.releasing(key, token);
              }
            });
  }

  @Override
  public CompletableFuture<StoreResult> store(
      Lease lease, @Nullable Object value, ValueType<?> type) {
    if (value != null) {
      byte[] written = cache.written(value, type);
      return run(
          () -> cache.storing(lease, value, written, written != null), RedisValueCache::result);
    }
    return run(cache::counting, LuaScript.Reply::ok)
        .thenCompose(
            allowed ->
                run(() -> cache.storing(lease, null, null, allowed), RedisValueCache::result));
  }

  @Override
  public CompletableFuture<@Nullable Void> release(Lease lease) {
    return run(() -> cache.releasing(lease.key(), lease.token()), reply -> null);
  }

  @Override
  public CompletableFuture<@Nullable Long> lastWrite(String key) {
    return run(() -> cache.asking(key), RedisValueCache::lastWrite);
  }

  private <T extends @Nullable Object> CompletableFuture<T> run(
      Supplier<LuaScript.Call> script, Function<LuaScript.Reply, T> reader) {
    return patiently(() -> script.get().inTime(RedisConnections.WRITE), reader);
  }

  /**
   * Runs an operation that cannot be left out, with the time that {@link RedisValueCache} gives it.
   */
  private <S, T extends @Nullable Object> CompletableFuture<T> patiently(
      Supplier<CompletableFuture<S>> step, Function<S, T> reader) {
    CacheUnavailableException quiet = cache.quiet();
    if (quiet != null) {
      return CompletableFuture.failedFuture(quiet);
    }
    return answered(step.get(), reader);
  }

  private <S, T extends @Nullable Object> CompletableFuture<T> answered(
      CompletableFuture<S> step, Function<S, T> reader) {
    return read(
        step,
        answer -> {
          link.breaker().answered();
          return reader.apply(answer);
        },
        cache::missed);
  }

  private <S, T extends @Nullable Object> CompletableFuture<T> read(
      CompletableFuture<S> answer,
      Function<S, T> reader,
      Function<RedisUnavailableException, CacheUnavailableException> failed) {
    return answer.handleAsync(
        (value, failure) -> {
          if (failure == null) {
            return reader.apply(value);
          }
          throw Replies.unwrapped(failure) instanceof RedisUnavailableException unavailable
              ? failed.apply(unavailable)
              : new IllegalStateException(failure);
        },
        threads);
  }
}

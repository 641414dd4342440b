package io.bloomguard.redis.cache;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.filter.KeyDigest;
import io.bloomguard.guard.AsyncValueCache;
import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.Lease;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCodec;
import io.bloomguard.guard.ValueType;
import io.bloomguard.redis.client.LuaScript;
import io.bloomguard.redis.client.RedisConnections;
import io.bloomguard.redis.client.RedisLink;
import io.bloomguard.redis.client.RedisUnavailableException;
import io.bloomguard.redis.client.Replies;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Values, null entries, leases and barriers in Redis, shared by every process.
 *
 * <p>A key appears in Redis only as its keyed digest: {@code <prefix>:{<cache>:<digest>}:value},
 * {@code :lease}, {@code :barrier} and {@code :written}, all in one slot, so that each step is one
 * script. The codec decides the bytes of a value. If values fall due before they end, a {@link
 * DueHeader} precedes them, and each lookup asks for the remaining time as well, without waiting in
 * between.
 */
public final class RedisValueCache implements ValueCache {

  /** A null entry; no value begins with this byte. */
  private static final byte[] NULL = {0};

  private static final LuaScript STORE = LuaScript.of(RedisValueCache.class, "store");
  private static final LuaScript RELEASE = LuaScript.of(RedisValueCache.class, "release");
  private static final LuaScript BEGIN_WRITE = LuaScript.of(RedisValueCache.class, "begin_write");
  private static final LuaScript END_WRITE = LuaScript.of(RedisValueCache.class, "end_write");
  private static final LuaScript SINCE_WRITE = LuaScript.of(RedisValueCache.class, "since_write");
  private static final LuaScript NULLS = LuaScript.of(RedisValueCache.class, "nulls");

  /** The time for which the cache counts as unreachable after Redis took too long. */
  private static final Duration QUIET = Duration.ofSeconds(1);

  /** The silence after which Redis counts as gone, not as slow. */
  private static final Duration SILENT = Duration.ofSeconds(2);

  /** The most writes under way, so that many keys do not wait for each hundred. */
  private static final int WRITES_AT_ONCE = 2_500;

  /** The writes that share one time limit: few enough for a busy Redis to meet it. */
  private static final int WRITES_IN_TIME = 100;

  private final String cache;
  private final CacheSettings settings;
  private final KeyDigest digest;
  private final RedisLink link;
  private final ValueCodec codec;
  private final String base;
  private final byte[] nulls;
  private final long nullWindow;
  private final AtomicLong quietUntil;

  /**
   * @param cache the cache's name
   * @param digest the digest of keys; the same secret on every node
   * @param keyPrefix the beginning of every key in Redis, such as {@code bloomguard}
   * @param codec writes and reads values
   */
  public RedisValueCache(
      String cache,
      CacheSettings settings,
      KeyDigest digest,
      RedisConnections connections,
      String keyPrefix,
      ValueCodec codec) {
    this.cache = cache;
    this.settings = settings;
    this.digest = digest;
    this.link = connections.requests();
    this.codec = codec;
    this.base = keyPrefix + ":{" + cache + ":";
    this.nulls = (keyPrefix + ":{" + cache + "}:nulls").getBytes(UTF_8);
    this.nullWindow =
        (long) Math.ceil(Math.max(1, settings.nullTtl().toMillis()) * (1 + settings.jitter()));
    this.quietUntil = new AtomicLong(System.nanoTime());
  }

  /** A view of the cache with another computation of its digests. */
  private RedisValueCache(RedisValueCache same, KeyDigest digest) {
    this.cache = same.cache;
    this.settings = same.settings;
    this.digest = digest;
    this.link = same.link;
    this.codec = same.codec;
    this.base = same.base;
    this.nulls = same.nulls;
    this.nullWindow = same.nullWindow;
    this.quietUntil = same.quietUntil;
  }

  @Override
  public ValueCache ofCall() {
    return new RedisValueCache(this, digest.ofCall());
  }

  @Override
  public <V> CacheLookup<V> lookup(String key, ValueType<V> type) {
    return settings.refreshes()
        ? read(await(lookWithTime(key)), type, false)
        : read(await(look(key)), type);
  }

  @Override
  public <V> List<CacheLookup<V>> lookupAll(List<String> keys, ValueType<V> type) {
    List<CacheLookup<V>> answers = new ArrayList<>(keys.size());
    if (settings.refreshes()) {
      List<CompletableFuture<Timed>> sent = keys.stream().map(this::lookWithTime).toList();
      for (CompletableFuture<Timed> value : sent) {
        answers.add(read(await(value), type, false));
      }
      return answers;
    }
    List<CompletableFuture<byte[]>> sent = keys.stream().map(this::look).toList();
    for (CompletableFuture<byte[]> value : sent) {
      answers.add(read(await(value), type));
    }
    return answers;
  }

  @Override
  @SuppressWarnings("NullAway") // what is read is never null
  public <V> CacheLookup<V> lookAgain(String key, ValueType<V> type) {
    return patiently(
        () ->
            settings.refreshes()
                ? read(Replies.await(getWithTime(key), RedisConnections.WRITE), type, true)
                : read(Replies.await(get(key), RedisConnections.WRITE), type));
  }

  @Override
  public @Nullable Lease tryLease(String key) {
    String token = UUID.randomUUID().toString();
    return patiently(
        () -> {
          try {
            String taken = Replies.await(taking(key, token), RedisConnections.WRITE);
            return taken == null ? null : new Lease(key, token);
          } catch (RedisUnavailableException e) {
            // The lease may have been taken all the same, and no holder would ever release it.
            releasing(key, token);
            throw e;
          }
        });
  }

  CompletableFuture<String> taking(String key, String token) {
    SetArgs onlyIfFree = SetArgs.Builder.nx().px(settings.lease());
    byte[] lease = name(stem(key), "lease");
    return link.call(c -> c.set(lease, token.getBytes(UTF_8), onlyIfFree));
  }

  LuaScript.Call releasing(String key, String token) {
    return RELEASE.start(link, List.of(name(stem(key), "lease")), token);
  }

  @Override
  public StoreResult store(Lease lease, @Nullable Object value, ValueType<?> type) {
    byte[] bytes = value == null ? NULL : codec.write(value, type);
    boolean allowed = value == null ? run(this::counting).ok() : bytes != null;
    return result(run(() -> storing(lease, value, bytes, allowed)));
  }

  /** The bytes of a value; null for a value that is not kept. */
  byte @Nullable [] written(Object value, ValueType<?> type) {
    return codec.write(value, type);
  }

  LuaScript.Call storing(
      Lease lease, @Nullable Object value, byte @Nullable [] written, boolean allowed) {
    byte[] bytes = value == null ? NULL : written;
    String mode = !allowed ? "full" : value == null ? "null" : "value";
    Duration ttl = value != null ? settings.nextTtl() : settings.nextNullTtl();
    if (value != null && bytes != null && settings.refreshes()) {
      long version = ThreadLocalRandom.current().nextLong();
      bytes = new DueHeader(settings.staleTime(ttl), version).before(bytes);
    }
    return STORE.start(
        link,
        all(lease.key()),
        lease.token(),
        mode,
        bytes == null ? NULL : bytes,
        Math.max(1, ttl.toMillis()));
  }

  static StoreResult result(LuaScript.Reply reply) {
    return switch (reply.outcome()) {
      case STORED -> StoreResult.STORED;
      case REFUSED -> StoreResult.REFUSED;
      default -> StoreResult.REVOKED;
    };
  }

  @Override
  public void release(Lease lease) {
    run(() -> releasing(lease.key(), lease.token()));
  }

  @Override
  public void beginWrite(String key, String token) {
    beginWrites(List.of(key), token);
  }

  @Override
  public void endWrite(String key, String token) {
    endWrites(List.of(key), token);
  }

  @Override
  public void beginWrites(List<String> keys, String token) {
    runAll(BEGIN_WRITE, keys, token, CacheSettings.BARRIER.toMillis());
  }

  @Override
  public void endWrites(List<String> keys, String token) {
    runAll(END_WRITE, keys, token, CacheSettings.RECENT.toMillis());
  }

  @Override
  public @Nullable Long lastWrite(String key) {
    return lastWrite(run(() -> asking(key)));
  }

  LuaScript.Call asking(String key) {
    String stem = stem(key);
    return SINCE_WRITE.start(
        link,
        List.of(name(stem, "barrier"), name(stem, "written")),
        CacheSettings.RECENT.toMillis());
  }

  /** The clock is read after the reply has come: the moment is no earlier than the write's end. */
  static @Nullable Long lastWrite(LuaScript.Reply reply) {
    return switch (reply.outcome()) {
      case ENDED -> System.nanoTime() - Duration.ofMillis(reply.number(1)).toNanos();
      case OPEN -> System.nanoTime();
      default -> null;
    };
  }

  /**
   * Sends the script for every key of a chunk before it waits for the first answer. The time limit
   * applies to progress: it begins again with every hundredth answer.
   */
  private void runAll(LuaScript script, List<String> keys, Object... arguments) {
    for (int from = 0; from < keys.size(); from += WRITES_AT_ONCE) {
      List<String> chunk = keys.subList(from, Math.min(keys.size(), from + WRITES_AT_ONCE));
      patiently(
          () -> {
            List<LuaScript.Call> sent =
                chunk.stream().map(key -> script.start(link, all(key), arguments)).toList();
            long end = 0;
            for (int i = 0; i < sent.size(); i++) {
              if (i % WRITES_IN_TIME == 0) {
                end = System.nanoTime() + RedisConnections.WRITE.toNanos();
              }
              sent.get(i).await(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
            }
            return null;
          });
    }
  }

  /**
   * Runs an operation that cannot be left out, with more time than a check has. After it took too
   * long, the cache counts as unreachable for a moment, so that a hanging Redis does not hold every
   * caller up.
   */
  private <T> @Nullable T patiently(Supplier<? extends @Nullable T> operation) {
    CacheUnavailableException quiet = quiet();
    if (quiet != null) {
      throw quiet;
    }
    try {
      T result = operation.get();
      link.breaker().answered();
      return result;
    } catch (RedisUnavailableException e) {
      throw missed(e);
    }
  }

  /** Not null while the cache counts as unreachable. */
  @Nullable CacheUnavailableException quiet() {
    return System.nanoTime() - quietUntil.get() < 0
        ? new CacheUnavailableException(
            "Cache '" + cache + "': Redis took too long a moment ago", null)
        : null;
  }

  /** Notes that such an operation was not done, and returns its exception. */
  CacheUnavailableException missed(RedisUnavailableException e) {
    boolean late = e.getCause() instanceof TimeoutException;
    if (late) {
      link.unanswered();
    }
    if (late && link.session() != null && link.breaker().silence() < SILENT.toNanos()) {
      return new CacheUnavailableException("Cache '" + cache + "': " + e.getMessage(), e, true);
    }
    if (late) {
      quietUntil.set(System.nanoTime() + QUIET.toNanos());
    }
    return unavailable(e);
  }

  @Override
  public AsyncValueCache async(Executor threads) {
    return new RedisValueSteps(this, link, settings.refreshes(), threads);
  }

  /**
   * Counts one more null entry of all processes. An entry that a barrier then refuses or a write
   * drops stays counted until its window ends: the bound may be met early, never passed.
   */
  LuaScript.Call counting() {
    return NULLS.start(link, List.of(nulls), nullWindow, settings.maxNullEntries());
  }

  CompletableFuture<byte[]> look(String key) {
    return link.breaker().allows() ? get(key) : RedisLink.disconnected();
  }

  CompletableFuture<Timed> lookWithTime(String key) {
    return link.breaker().allows() ? getWithTime(key) : RedisLink.disconnected();
  }

  CompletableFuture<byte[]> get(String key) {
    byte[] value = name(stem(key), "value");
    return link.call(c -> c.get(value));
  }

  CompletableFuture<Timed> getWithTime(String key) {
    byte[] value = name(stem(key), "value");
    // Two commands under way at once: one round trip.
    return link.call(c -> c.get(value)).thenCombine(link.call(c -> c.pttl(value)), Timed::new);
  }

  /**
   * A stored value.
   *
   * @param left the ms to its end, by Redis' clock
   */
  record Timed(byte @Nullable [] bytes, long left) {}

  <V> CacheLookup<V> read(@Nullable Timed stored, ValueType<V> type, boolean again) {
    CacheLookup<V> cached = read(stored == null ? null : stored.bytes(), type);
    if (stored == null || stored.bytes() == null || !(cached instanceof CacheLookup.Hit<V> hit)) {
      return cached;
    }
    DueHeader header = DueHeader.of(stored.bytes());
    // A value that was stored without a header is served until it ends; so is one that just has.
    if (header == null || stored.left() < 0) {
      return cached;
    }
    return again || stored.left() <= header.staleTime().toMillis()
        ? new CacheLookup.Due<>(hit.value(), header.version())
        : cached;
  }

  <V> CacheLookup<V> read(byte @Nullable [] bytes, ValueType<V> type) {
    if (bytes == null) {
      return CacheLookup.miss();
    }
    if (Arrays.equals(bytes, NULL)) {
      return CacheLookup.nullHit();
    }
    // A caller that takes no shared value need not read it.
    V value = type.shared() ? codec.read(DueHeader.without(bytes), type) : null;
    return value == null ? CacheLookup.miss() : CacheLookup.hit(value);
  }

  @SuppressWarnings("NullAway") // a script answers or throws
  private LuaScript.Reply run(Supplier<LuaScript.Call> script) {
    return patiently(() -> script.get().await(RedisConnections.WRITE));
  }

  private <T> @Nullable T await(Future<T> answer) {
    try {
      return link.await(answer);
    } catch (RedisUnavailableException e) {
      throw unavailable(e);
    }
  }

  CacheUnavailableException unavailable(RedisUnavailableException e) {
    return new CacheUnavailableException("Cache '" + cache + "': " + e.getMessage(), e);
  }

  private List<byte[]> all(String key) {
    String stem = stem(key);
    return List.of(
        name(stem, "value"), name(stem, "lease"), name(stem, "barrier"), name(stem, "written"));
  }

  /** The common beginning of the names of a key's entries. */
  private String stem(String key) {
    return base + digest.hex(key) + "}:";
  }

  private static byte[] name(String stem, String kind) {
    return (stem + kind).getBytes(US_ASCII);
  }
}

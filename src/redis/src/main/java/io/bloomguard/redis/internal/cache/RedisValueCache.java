package io.bloomguard.redis.internal.cache;

import io.bloomguard.filter.internal.KeyDigest;
import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.Lease;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCodec;
import io.bloomguard.guard.ValueType;
import io.bloomguard.redis.internal.cache.CacheRequests.Step;
import io.bloomguard.redis.internal.client.KeyScan;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.Utf8;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Values, null entries, leases and barriers in Redis, shared by every process.
 *
 * <p>A key appears in Redis only as its keyed digest, in {@link EntryNames} of one slot, so that
 * each step is one script. The codec decides the bytes of a value. If values fall due before they
 * end, a {@link DueHeader} precedes them, and each lookup asks for the remaining time as well,
 * without waiting in between.
 */
public final class RedisValueCache implements ValueCache {

  /** A null entry; no value begins with this byte. */
  private static final byte[] NULL = {0};

  private static final byte[] NONE = {};

  private static final LuaScript STORE = LuaScript.of(RedisValueCache.class, "store");
  private static final LuaScript RELEASE = LuaScript.of(RedisValueCache.class, "release");
  private static final LuaScript BEGIN_WRITE = LuaScript.of(RedisValueCache.class, "begin_write");
  private static final LuaScript END_WRITE = LuaScript.of(RedisValueCache.class, "end_write");
  private static final LuaScript SINCE_WRITE = LuaScript.of(RedisValueCache.class, "since_write");
  private static final LuaScript NULLS = LuaScript.of(RedisValueCache.class, "nulls");

  /** The longest time in which all entries are dropped; those that are left then stay. */
  private static final Duration DROP = Duration.ofMinutes(1);

  private static final Logger log = LoggerFactory.getLogger(RedisValueCache.class);

  private final String cache;
  private final CacheSettings settings;
  private final EntryNames names;
  private final byte[] nulls;
  private final RedisLink link;
  private final RedisLink scans;
  private final ValueCodec codec;
  private final long nullWindow;
  private final CacheRequests requests;

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
    this.names = new EntryNames(keyPrefix + ":{" + cache, digest);
    this.nulls = names.nulls();
    this.link = connections.requests();
    this.scans = connections.builds();
    this.codec = codec;
    this.nullWindow =
        (long) Math.ceil(Math.max(1, settings.nullTtl().toMillis()) * (1 + settings.jitter()));
    this.requests = new CacheRequests(cache, link);
  }

  /** A view of the cache with another computation of its digests. */
  private RedisValueCache(RedisValueCache same, EntryNames names) {
    this.cache = same.cache;
    this.settings = same.settings;
    this.names = names;
    this.nulls = same.nulls;
    this.link = same.link;
    this.scans = same.scans;
    this.codec = same.codec;
    this.nullWindow = same.nullWindow;
    this.requests = same.requests;
  }

  @Override
  public ValueCache ofCall() {
    return new RedisValueCache(this, names.ofCall());
  }

  @Override
  public <V> CacheLookup<V> lookup(String key, ValueType<V> type) {
    return looking(key, type, false).await();
  }

  @Override
  public <V> List<CacheLookup<V>> lookupAll(List<String> keys, ValueType<V> type) {
    List<Supplier<CacheLookup<V>>> sent =
        keys.stream().map(key -> this.<V>looking(key, type, false).begin()).toList();
    return sent.stream().map(Supplier::get).toList();
  }

  @Override
  public <V> CacheLookup<V> lookAgain(String key, ValueType<V> type) {
    return looking(key, type, true).await();
  }

  @Override
  public @Nullable Lease tryLease(String key) {
    String token = UUID.randomUUID().toString();
    SetArgs onlyIfFree = SetArgs.Builder.nx().px(settings.lease());
    return requests
        .<String, @Nullable Lease>step(
            true,
            () -> {
              byte[] lease = names.lease(key);
              CompletableFuture<String> taken =
                  link.call(c -> c.set(lease, Utf8.bytes(token), onlyIfFree));
              var unused =
                  taken.whenComplete(
                      (ok, failure) -> {
                        if (failure != null) {
                          // The lease may have been taken all the same, without a holder to release
                          // it.
                          release(key, token);
                        }
                      });
              return taken;
            },
            ok -> ok == null ? null : new Lease(key, token))
        .await();
  }

  /** A null entry is counted first. */
  @Override
  public StoreResult store(Lease lease, @Nullable Object value, ValueType<?> type) {
    if (value == null) {
      return script(
              () ->
                  count()
                      .thenCompose(
                          counted ->
                              store(
                                  lease,
                                  counted.ok() ? "null" : "full",
                                  NULL,
                                  settings.nextNullTtl())),
              RedisValueCache::result)
          .await();
    }
    byte[] bytes = codec.write(value, type);
    Duration ttl = settings.nextTtl();
    if (bytes != null && settings.refreshes()) {
      long version = ThreadLocalRandom.current().nextLong();
      bytes = new DueHeader(settings.staleTime(ttl), version).before(bytes);
    }
    String mode = bytes == null ? "full" : "value";
    byte[] entry = bytes == null ? NULL : bytes;
    return script(() -> store(lease, mode, entry, ttl), RedisValueCache::result).await();
  }

  @Override
  public void release(Lease lease) {
    script(() -> release(lease.key(), lease.token()), reply -> null).await();
  }

  @Override
  public @Nullable Long lastWrite(String key) {
    List<byte[]> marks = names.marks(key);
    return script(
            () -> SINCE_WRITE.start(link, marks, CacheSettings.RECENT.toMillis()).reply(),
            RedisValueCache::lastWrite)
        .await();
  }

  @Override
  public boolean isShared() {
    return true;
  }

  @Override
  public <V> CompletableFuture<CacheLookup<V>> lookupAsync(
      String key, ValueType<V> type, Executor threads) {
    return this.<V>looking(key, type, false).later(threads);
  }

  /**
   * @param again whether the caller has asked for the lease, so that it must not miss an entry
   */
  private <V> Step<?, CacheLookup<V>> looking(String key, ValueType<V> type, boolean again) {
    return settings.refreshes()
        ? requests.step(again, () -> getWithTime(key), stored -> read(stored, type, again))
        : requests.step(again, () -> get(key), bytes -> read(bytes, type));
  }

  private CompletableFuture<LuaScript.Reply> store(
      Lease lease, String mode, byte[] entry, Duration ttl) {
    return STORE
        .start(
            link, names.all(lease.key()), lease.token(), mode, entry, Math.max(1, ttl.toMillis()))
        .reply();
  }

  private static StoreResult result(LuaScript.Reply reply) {
    return switch (reply.outcome()) {
      case STORED -> StoreResult.STORED;
      case REFUSED -> StoreResult.REFUSED;
      default -> StoreResult.REVOKED;
    };
  }

  private CompletableFuture<LuaScript.Reply> release(String key, String token) {
    return RELEASE.start(link, List.of(names.lease(key)), token).reply();
  }

  /** The clock is read after the reply has come: the moment is no earlier than the write's end. */
  private static @Nullable Long lastWrite(LuaScript.Reply reply) {
    return switch (reply.outcome()) {
      case ENDED -> System.nanoTime() - Duration.ofMillis(reply.number(1)).toNanos();
      case OPEN -> System.nanoTime();
      default -> null;
    };
  }

  private <T extends @Nullable Object> Step<?, T> script(
      Supplier<CompletableFuture<LuaScript.Reply>> script, Function<LuaScript.Reply, T> reader) {
    return requests.step(true, script, reader);
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

  /**
   * Commands instead of a script, which is several times as cheap for many keys. Each note is
   * written before its lease is revoked: so a load that begins in between finds one of them.
   */
  @Override
  public void invalidate(List<String> keys) {
    List<String> stems = keys.stream().map(names::stem).toList();
    SetArgs note = SetArgs.Builder.px(CacheSettings.RECENT);
    requests.sendAll(stems, stem -> link.call(c -> c.set(EntryNames.written(stem), NONE, note)));
    List<List<String>> parts = new ArrayList<>();
    for (int from = 0; from < stems.size(); from += CacheRequests.WRITES_IN_TIME) {
      parts.add(stems.subList(from, Math.min(stems.size(), from + CacheRequests.WRITES_IN_TIME)));
    }
    // In a cluster, the client sends a command to each slot.
    requests.sendAll(parts, part -> link.call(c -> c.del(EntryNames.valuesAndLeases(part))));
  }

  private void runAll(LuaScript script, List<String> keys, Object... arguments) {
    requests.sendAll(keys, key -> script.start(link, names.all(key), arguments).reply());
  }

  /**
   * Drops them in two passes over all keys of Redis. The first one also deletes the leases of loads
   * that read before; what these stored before it came to their leases, the second one deletes.
   */
  @Override
  public void dropAll() {
    String pattern = names.valuesAndLeases();
    long end = System.nanoTime() + DROP.toNanos();
    try {
      for (int pass = 0; pass < 2; pass++) {
        if (!KeyScan.each(scans, pattern, scans.timeout(), end, this::unlink)) {
          log.warn(
              "Cache '{}': not all values were found among the keys of Redis within {}; the others"
                  + " stay until they expire",
              cache,
              DROP);
          return;
        }
      }
    } catch (RedisUnavailableException e) {
      throw requests.unavailable(e);
    }
  }

  /** One by one: in a cluster they are keys of many slots. */
  private void unlink(List<byte[]> keys) {
    keys.stream().map(key -> scans.call(c -> c.unlink(key))).toList().forEach(scans::await);
  }

  /**
   * Counts one more null entry of all processes. An entry that a barrier then refuses or a write
   * drops stays counted until its window ends: the bound may be met early, never passed.
   */
  private CompletableFuture<LuaScript.Reply> count() {
    return NULLS.start(link, List.of(nulls), nullWindow, settings.maxNullEntries()).reply();
  }

  private CompletableFuture<byte[]> get(String key) {
    byte[] value = names.value(key);
    return link.call(c -> c.get(value));
  }

  private CompletableFuture<Timed> getWithTime(String key) {
    byte[] value = names.value(key);
    // Two commands under way at once: one round trip.
    return link.call(c -> c.get(value)).thenCombine(link.call(c -> c.pttl(value)), Timed::new);
  }

  /**
   * A stored value.
   *
   * @param left the ms to its end, by Redis' clock
   */
  private record Timed(byte @Nullable [] bytes, long left) {}

  private <V> CacheLookup<V> read(@Nullable Timed stored, ValueType<V> type, boolean again) {
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

  private <V> CacheLookup<V> read(byte @Nullable [] bytes, ValueType<V> type) {
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
}

package io.bloomguard.guard;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value cache on this process' heap.
 *
 * <p>Every change to a key happens inside {@code controls.compute} of that key, so that a store, a
 * write and a lease see each other whole. Lookups read the entries alone and take no lock.
 */
public final class LocalValueCache implements ValueCache {

  private final CacheSettings settings;
  private final Ticker ticker;
  private final @Nullable ValueCodec codec;
  private final Cache<String, Object> values;
  private final Cache<String, Boolean> nullEntries;
  private final RecentWrites writes;
  private final ConcurrentMap<String, Control> controls = new ConcurrentHashMap<>();

  public LocalValueCache(CacheSettings settings) {
    this(settings, null, Ticker.systemTicker());
  }

  /**
   * @param codec keeps values as bytes, so that each caller reads one of its own; null for values
   *     that are handed out as they are
   */
  public LocalValueCache(CacheSettings settings, @Nullable ValueCodec codec) {
    this(settings, codec, Ticker.systemTicker());
  }

  LocalValueCache(CacheSettings settings, Ticker ticker) {
    this(settings, null, ticker);
  }

  private LocalValueCache(CacheSettings settings, @Nullable ValueCodec codec, Ticker ticker) {
    this.settings = settings;
    this.codec = codec;
    this.ticker = ticker;
    this.writes = new RecentWrites(ticker.read() - CacheSettings.RECENT.toNanos());
    this.values = entries(settings.maxValues(), settings::nextTtl);
    this.nullEntries = entries(settings.maxNullEntries(), settings::nextNullTtl);
  }

  private <E> Cache<String, E> entries(long bound, Supplier<Duration> lifetime) {
    return Caffeine.newBuilder()
        .maximumSize(bound)
        .expireAfter(Expiry.<String, E>writing((key, entry) -> lifetime.get()))
        .ticker(ticker)
        .executor(Runnable::run)
        .build();
  }

  @Override
  @SuppressWarnings("unchecked") // all values of a cache have one type, checked at startup
  public <V> Cached<V> lookup(String key, ValueType<V> type) {
    Object value = values.getIfPresent(key);
    if (value != null) {
      return codec == null ? Cached.hit((V) value) : read(codec, (byte[]) value, type);
    }
    return nullEntries.getIfPresent(key) != null ? Cached.nullHit() : Cached.miss();
  }

  private static <V> Cached<V> read(ValueCodec codec, byte[] bytes, ValueType<V> type) {
    V value = codec.read(bytes, type);
    return value == null ? Cached.miss() : Cached.hit(value);
  }

  @Override
  public @Nullable Lease tryLease(String key) {
    String token = UUID.randomUUID().toString();
    long now = ticker.read();
    Control control =
        controls.compute(
            key,
            (k, held) -> {
              Control current = held == null ? Control.NONE : held.at(now);
              return current.token() != null
                  ? current
                  : current.withLease(token, now + settings.lease().toNanos());
            });
    return token.equals(control.token()) ? new Lease(key, token) : null;
  }

  @Override
  public StoreResult store(Lease lease, @Nullable Object value, ValueType<?> type) {
    Object kept = value == null || codec == null ? value : codec.write(value, type);
    boolean refused = value != null && kept == null;
    StoreResult[] result = {StoreResult.REVOKED};
    long now = ticker.read();
    controls.computeIfPresent(
        lease.key(),
        (key, held) -> {
          Control current = held.at(now);
          if (!lease.token().equals(current.token())) {
            return current.orGone();
          }
          result[0] = refused ? StoreResult.REFUSED : keep(key, kept, current);
          return current.withoutLease().orGone();
        });
    return result[0];
  }

  private StoreResult keep(String key, @Nullable Object value, Control current) {
    if (!current.barriers().isEmpty()) {
      return StoreResult.REFUSED;
    }
    if (value != null) {
      nullEntries.invalidate(key);
      values.put(key, value);
      return StoreResult.STORED;
    }
    if (settings.maxNullEntries() == 0) {
      return StoreResult.REFUSED;
    }
    values.invalidate(key);
    nullEntries.put(key, Boolean.TRUE);
    return StoreResult.STORED;
  }

  @Override
  public void release(Lease lease) {
    controls.computeIfPresent(
        lease.key(),
        (key, held) -> lease.token().equals(held.token()) ? held.withoutLease().orGone() : held);
  }

  @Override
  public void beginWrite(String key, String token) {
    long now = ticker.read();
    controls.compute(
        key,
        (k, held) -> {
          drop(k);
          Control current = held == null ? Control.NONE : held.at(now);
          return current.withoutLease().withBarrier(token, now + CacheSettings.BARRIER.toNanos());
        });
  }

  @Override
  public void endWrite(String key, String token) {
    long now = ticker.read();
    controls.compute(
        key,
        (k, held) -> {
          drop(k);
          Control current = held == null ? Control.NONE : held.at(now);
          writes.note(k, now);
          return current.withoutLease().withoutBarrier(token).orGone();
        });
  }

  @Override
  public @Nullable Duration sinceWrite(String key) {
    long now = ticker.read();
    Control held = controls.get(key);
    if (held != null && !held.at(now).barriers().isEmpty()) {
      return Duration.ZERO;
    }
    // Read after the barrier: a write that ends in between is seen here.
    Duration ago = Duration.ofNanos(Math.max(0, now - writes.last(key)));
    return ago.compareTo(CacheSettings.RECENT) < 0 ? ago : null;
  }

  private void drop(String key) {
    values.invalidate(key);
    nullEntries.invalidate(key);
  }

  /** How many null entries are alive. */
  long nullEntries() {
    nullEntries.cleanUp();
    return nullEntries.estimatedSize();
  }

  /** How many keys have a lease or a barrier. */
  int controls() {
    return controls.size();
  }

  /**
   * The lease and the barriers of one key.
   *
   * @param token the holder of the lease, null for none
   * @param leaseEnd when the lease ends, in ticks
   * @param barriers the end of each writer's barrier, in ticks
   */
  private record Control(@Nullable String token, long leaseEnd, Map<String, Long> barriers) {

    static final Control NONE = new Control(null, 0, Map.of());

    /** What of this still holds at {@code now}. */
    Control at(long now) {
      Control control = token != null && now - leaseEnd >= 0 ? withoutLease() : this;
      if (control.barriers.values().stream().anyMatch(end -> now - end >= 0)) {
        Map<String, Long> standing = new HashMap<>(control.barriers);
        standing.values().removeIf(end -> now - end >= 0);
        return new Control(control.token, control.leaseEnd, standing);
      }
      return control;
    }

    Control withLease(String holder, long end) {
      return new Control(holder, end, barriers);
    }

    Control withoutLease() {
      return token == null ? this : new Control(null, 0, barriers);
    }

    Control withBarrier(String writer, long end) {
      Map<String, Long> standing = new HashMap<>(barriers);
      standing.put(writer, end);
      return new Control(token, leaseEnd, standing);
    }

    Control withoutBarrier(String writer) {
      if (!barriers.containsKey(writer)) {
        return this;
      }
      Map<String, Long> standing = new HashMap<>(barriers);
      standing.remove(writer);
      return new Control(token, leaseEnd, standing);
    }

    @Nullable Control orGone() {
      return token == null && barriers.isEmpty() ? null : this;
    }
  }
}

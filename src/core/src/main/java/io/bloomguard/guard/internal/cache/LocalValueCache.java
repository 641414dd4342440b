package io.bloomguard.guard.internal.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Ticker;
import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.Lease;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCodec;
import io.bloomguard.guard.ValueType;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A value cache on this process' heap.
 *
 * <p>Every change to a key happens inside {@code controls.compute} of that key, so that stores,
 * writes and leases never see each other half done. Lookups read only the entries and take no lock.
 */
public final class LocalValueCache implements ValueCache {

  private final CacheSettings settings;
  private final Ticker ticker;
  private final @Nullable ValueCodec codec;
  private final Cache<String, Object> values;
  private final Cache<String, Boolean> nullEntries;
  private final RecentWrites writes;
  private final ConcurrentMap<String, Control> controls = new ConcurrentHashMap<>();

  /**
   * @param codec keeps values as bytes, so that each caller reads its own instance; null to hand
   *     out the stored instances
   */
  public LocalValueCache(CacheSettings settings, @Nullable ValueCodec codec) {
    this(settings, codec, Ticker.systemTicker());
  }

  /** With a clock of its own. */
  public LocalValueCache(CacheSettings settings, @Nullable ValueCodec codec, Ticker ticker) {
    this.settings = settings;
    this.codec = codec;
    this.ticker = ticker;
    this.writes = new RecentWrites(ticker.read() - CacheSettings.RECENT.toNanos());
    this.values = entries(settings.maxValues(), this::lifetime);
    this.nullEntries = entries(settings.maxNullEntries(), entry -> settings.nextNullTtl());
  }

  private Duration lifetime(Object entry) {
    return entry instanceof Dated dated ? dated.lifetime() : settings.nextTtl();
  }

  private <E> Cache<String, E> entries(long bound, Function<E, Duration> lifetime) {
    return Caffeine.newBuilder()
        .maximumSize(bound)
        .expireAfter(Expiry.<String, E>writing((key, entry) -> lifetime.apply(entry)))
        .ticker(ticker)
        .executor(Runnable::run)
        .build();
  }

  @Override
  public <V> CacheLookup<V> lookup(String key, ValueType<V> type) {
    return look(key, type, false);
  }

  @Override
  public <V> CacheLookup<V> lookAgain(String key, ValueType<V> type) {
    return look(key, type, true);
  }

  private <V> CacheLookup<V> look(String key, ValueType<V> type, boolean again) {
    Object entry = values.getIfPresent(key);
    if (entry == null) {
      return nullEntries.getIfPresent(key) != null ? CacheLookup.nullHit() : CacheLookup.miss();
    }
    if (!(entry instanceof Dated dated)) {
      V value = read(entry, type);
      return value == null ? CacheLookup.miss() : CacheLookup.hit(value);
    }
    V value = read(dated.value(), type);
    if (value == null) {
      return CacheLookup.miss();
    }
    return again || dated.limit() - ticker.read() <= 0
        ? new CacheLookup.Due<>(value, dated.version())
        : CacheLookup.hit(value);
  }

  @SuppressWarnings("unchecked") // all values of a cache have one type, checked at startup
  private <V> @Nullable V read(Object kept, ValueType<V> type) {
    if (codec == null) {
      return (V) kept;
    }
    // A caller that takes no shared value need not read it.
    return type.shared() ? codec.read((byte[]) kept, type) : null;
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
    Object written = value == null || codec == null ? value : codec.write(value, type);
    boolean refused = value != null && written == null;
    StoreResult[] result = {StoreResult.REVOKED};
    long now = ticker.read();
    Object kept = written == null ? null : dated(written, now);
    controls.computeIfPresent(
        lease.key(),
        (key, held) -> {
          Control current = held.at(now);
          if (!lease.token().equals(current.token())) {
            return current.orGone();
          }
          boolean allowed = !refused && current.barriers().isEmpty();
          result[0] = allowed ? keep(key, kept) : StoreResult.REFUSED;
          if (result[0] == StoreResult.REFUSED) {
            drop(key);
          }
          return current.withoutLease().orGone();
        });
    return result[0];
  }

  private Object dated(Object value, long now) {
    if (!settings.refreshes()) {
      return value;
    }
    Duration lifetime = settings.nextTtl();
    Duration fresh = lifetime.minus(settings.staleTime(lifetime));
    long version = ThreadLocalRandom.current().nextLong();
    return new Dated(value, lifetime, now + fresh.toNanos(), version);
  }

  private StoreResult keep(String key, @Nullable Object value) {
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
  public @Nullable Long lastWrite(String key) {
    long now = ticker.read();
    Control held = controls.get(key);
    if (held != null && !held.at(now).barriers().isEmpty()) {
      return now;
    }
    // Read after the barrier: this read sees a write that ends in between.
    long last = writes.last(key);
    return now - last < CacheSettings.RECENT.toNanos() ? Long.valueOf(last) : null;
  }

  /** A load that stores before its lease is revoked is dropped with the other values. */
  @Override
  public void dropAll() {
    writes.noteAll(ticker.read());
    for (String key : controls.keySet()) {
      controls.computeIfPresent(key, (k, held) -> held.withoutLease().orGone());
    }
    values.invalidateAll();
    nullEntries.invalidateAll();
  }

  private void drop(String key) {
    values.invalidate(key);
    nullEntries.invalidate(key);
  }

  /** The number of null entries alive. */
  long nullEntries() {
    nullEntries.cleanUp();
    return nullEntries.estimatedSize();
  }

  /** The number of keys that have a lease or a barrier. */
  public int controls() {
    return controls.size();
  }

  /**
   * A value that falls due before it ends.
   *
   * @param limit the moment from which it is due, in ticks
   */
  private record Dated(Object value, Duration lifetime, long limit, long version) {}

  /**
   * The lease and the barriers of one key.
   *
   * @param token the holder of the lease, null for none
   * @param leaseEnd the end of the lease, in ticks
   * @param barriers the end of each writer's barrier, in ticks
   */
  private record Control(@Nullable String token, long leaseEnd, Map<String, Long> barriers) {

    static final Control NONE = new Control(null, 0, Map.of());

    /** The lease and barriers of this that still hold at {@code now}. */
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

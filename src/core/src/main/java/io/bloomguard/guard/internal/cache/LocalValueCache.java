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
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
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
    V value = read(entry instanceof Dated dated ? dated.value() : entry, type);
    if (value == null) {
      return CacheLookup.miss();
    }
    return entry instanceof Dated dated && (again || dated.limit() - ticker.read() <= 0)
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

  /** Changes the lease and the barriers of a key that still hold. */
  private @Nullable Control change(String key, long now, UnaryOperator<Control> change) {
    return controls.compute(
        key, (any, held) -> change.apply(held == null ? Control.NONE : held.at(now)).orGone());
  }

  @Override
  public @Nullable Lease tryLease(String key) {
    String token = UUID.randomUUID().toString();
    long now = ticker.read();
    long end = now + settings.lease().toNanos();
    Control control =
        change(
            key, now, current -> current.token() != null ? current : current.withLease(token, end));
    return control != null && token.equals(control.token()) ? new Lease(key, token) : null;
  }

  @Override
  public StoreResult store(Lease lease, @Nullable Object value, ValueType<?> type) {
    Object written = value == null || codec == null ? value : codec.write(value, type);
    boolean refused = value != null && written == null;
    StoreResult[] result = {StoreResult.REVOKED};
    long now = ticker.read();
    Object kept = written == null ? null : dated(written, now);
    change(
        lease.key(),
        now,
        current -> {
          if (!lease.token().equals(current.token())) {
            return current;
          }
          boolean allowed = !refused && current.barriers().isEmpty();
          result[0] = allowed ? keep(lease.key(), kept) : StoreResult.REFUSED;
          if (result[0] == StoreResult.REFUSED) {
            drop(lease.key());
          }
          return current.withoutLease();
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
    change(
        lease.key(),
        ticker.read(),
        current -> lease.token().equals(current.token()) ? current.withoutLease() : current);
  }

  @Override
  public void beginWrite(String key, String token) {
    long now = ticker.read();
    change(
        key,
        now,
        current -> {
          drop(key);
          return current.withoutLease().withBarrier(token, now + CacheSettings.BARRIER.toNanos());
        });
  }

  @Override
  public void endWrite(String key, String token) {
    long now = ticker.read();
    change(
        key,
        now,
        current -> {
          drop(key);
          writes.note(key, now);
          return current.withoutLease().withoutBarrier(token);
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
    long now = ticker.read();
    writes.noteAll(now);
    controls.keySet().forEach(key -> change(key, now, Control::withoutLease));
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
      return barriers.values().stream().anyMatch(end -> now - end >= 0)
          ? control.with(standing -> standing.values().removeIf(end -> now - end >= 0))
          : control;
    }

    Control withLease(String holder, long end) {
      return new Control(holder, end, barriers);
    }

    Control withoutLease() {
      return token == null ? this : new Control(null, 0, barriers);
    }

    Control withBarrier(String writer, long end) {
      return with(standing -> standing.put(writer, end));
    }

    Control withoutBarrier(String writer) {
      return with(standing -> standing.remove(writer));
    }

    private Control with(Consumer<Map<String, Long>> change) {
      Map<String, Long> standing = new HashMap<>(barriers);
      change.accept(standing);
      return new Control(token, leaseEnd, standing);
    }

    @Nullable Control orGone() {
      return token == null && barriers.isEmpty() ? null : this;
    }
  }
}

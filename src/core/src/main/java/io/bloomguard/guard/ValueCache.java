package io.bloomguard.guard;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The values, null entries, leases and write barriers of one cache.
 *
 * <p>One interface holds them because they are correct only together: a value or null entry is
 * stored only under a lease that is still held, a write revokes the lease and raises a barrier, and
 * while a barrier stands nothing is stored. A load inside a transaction may see a row from before a
 * write that ended meanwhile, so writes are remembered for a while. The idea of a lease that an
 * update revokes is from Nishtala et al., "Scaling Memcache at Facebook", NSDI 2013.
 *
 * <p>Keys are canonical. Every method may throw {@link CacheUnavailableException}; the guard then
 * continues without the cache.
 */
public interface ValueCache {

  /**
   * {@return the entry for {@code key}} A value that cannot be read as {@code type} is a miss; one
   * that is past its soft limit is {@link CacheLookup.Due}.
   *
   * @param <V> the type of the value
   * @param key a canonical key
   * @param type the type that the value is read as
   */
  <V> CacheLookup<V> lookup(String key, ValueType<V> type);

  /**
   * {@return the answers for {@code keys}, in their order}
   *
   * @param <V> the type of the values
   * @param keys canonical keys
   * @param type the type that the values are read as
   */
  default <V> List<CacheLookup<V>> lookupAll(List<String> keys, ValueType<V> type) {
    return keys.stream().map(key -> this.<V>lookup(key, type)).toList();
  }

  /**
   * {@link #lookup} by a caller that has just taken the lease, or failed to. It must not miss an
   * entry that was stored since the first lookup, so it may take as long as a write. A value that
   * can fall due before its end is {@link CacheLookup.Due} here, even before it does.
   *
   * @param <V> the type of the value
   * @param key a canonical key
   * @param type the type that the value is read as
   * @return the entry for the key
   */
  default <V> CacheLookup<V> lookAgain(String key, ValueType<V> type) {
    return lookup(key, type);
  }

  /**
   * Takes the lease of {@code key}.
   *
   * @param key a canonical key
   * @return the lease; null while another caller holds it
   */
  @Nullable Lease tryLease(String key);

  /**
   * Stores {@code value}, or a null entry if it is null, and ends the lease, all in one step. If
   * the lease is no longer held, nothing is stored.
   *
   * @param lease the lease, which this ends
   * @param value the value, null for a null entry
   * @param type the type that the value will be read as
   * @return whether it was stored, and why not
   */
  StoreResult store(Lease lease, @Nullable Object value, ValueType<?> type);

  /**
   * {@link #store} of a value with its own class as the type.
   *
   * @param lease the lease, which this ends
   * @param value the value, null for a null entry
   * @return whether it was stored, and why not
   */
  default StoreResult store(Lease lease, @Nullable Object value) {
    Class<?> type = value == null ? Object.class : value.getClass();
    return store(lease, value, new ValueType<>(type));
  }

  /**
   * {@return the answer of {@link #lookup} for a caller whose thread must not wait} It fails with
   * the exception that that would throw.
   *
   * @param <V> the type of the value
   * @param key a canonical key
   * @param type the type that the value is read as
   * @param threads the threads for an answer that is not available at once
   */
  default <V> CompletableFuture<CacheLookup<V>> lookupAsync(
      String key, ValueType<V> type, Executor threads) {
    return CompletableFuture.supplyAsync(() -> lookup(key, type), threads);
  }

  /** {@return whether no method waits, so that any thread may call it} */
  default boolean answersInMemory() {
    return !isShared();
  }

  /**
   * {@return this cache for one call, whose steps name the same keys repeatedly} A cache that holds
   * keys under other names derives each name once in that view.
   */
  default ValueCache ofCall() {
    return this;
  }

  /**
   * Ends a lease without storing; does nothing if it is no longer held.
   *
   * @param lease the lease, which need not be held any longer
   */
  void release(Lease lease);

  /**
   * Raises a barrier on {@code key} under the writer's {@code token}, drops its value and null
   * entry and revokes its lease. A key may have barriers of several writers.
   *
   * @param key a canonical key
   * @param token the writer's token, random and used for one write
   */
  void beginWrite(String key, String token);

  /**
   * Drops value and null entry, revokes the lease, lifts the barrier of {@code token}, and
   * remembers that the key was written.
   *
   * @param key a canonical key
   * @param token the token that began the write
   */
  void endWrite(String key, String token);

  /**
   * {@return the latest {@code System.nanoTime()} at which the last write of {@code key} may have
   * ended: the present while one is open, null if none ended within {@link CacheSettings#RECENT}} A
   * moment and not an age, which would be older by every stop of the thread that asks for it. A
   * cache may take one key's write for another's.
   *
   * @param key a canonical key
   */
  @Nullable Long lastWrite(String key);

  /**
   * {@link #beginWrite} for each key; a failure for one key does not stop the others.
   *
   * @param keys canonical keys
   * @param token the writer's token, random and used for one write
   */
  default void beginWrites(List<String> keys, String token) {
    keys.forEach(key -> beginWrite(key, token));
  }

  /**
   * {@link #endWrite} for each key; a failure for one key does not stop the others.
   *
   * @param keys canonical keys
   * @param token the token that began the writes
   */
  default void endWrites(List<String> keys, String token) {
    keys.forEach(key -> endWrite(key, token));
  }

  /**
   * Drops value and null entry, revokes the lease, and remembers that the key was written, for each
   * key of rows that another program has changed: {@link #endWrites} of writes that are visible
   * already, so that no barrier was of use.
   *
   * @param keys canonical keys
   */
  default void invalidate(List<String> keys) {
    endWrites(keys, "");
  }

  /** {@return whether other processes have the same entries} */
  default boolean isShared() {
    return false;
  }

  /**
   * Drops all values and null entries and revokes the loads under way, because it is not known
   * which keys were written: what a caller read before this stays nowhere. May take as long as it
   * takes to look through the cache.
   *
   * <p>A cache that does nothing keeps such entries until they expire.
   */
  default void dropAll() {}

  /** The result of a {@link #store}. */
  enum StoreResult {
    /** Stored; the lease is ended. */
    STORED,
    /**
     * Refused because of a barrier, the bound on null entries, or a value that would not be read
     * back as an equal one; the lease is ended, and an older value is dropped.
     */
    REFUSED,
    /**
     * The lease had ended or been revoked: a write may have completed since the load began, so the
     * loaded value must not be shared with callers that arrived later.
     */
    REVOKED
  }
}

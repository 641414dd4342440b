package io.bloomguard.guard;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The guard of one filter and one value cache, as code calls it.
 *
 * <p>Keys are strings, integral numbers, UUIDs, enum constants, or lists of two or more of these.
 * Each call records exactly one outcome for each key.
 *
 * <p>A filter that is disarmed, or observes, rejects nothing: a key that it would reject is counted
 * as rejected and continues through the bulkhead, and {@link #check} answers {@link
 * Membership#UNKNOWN}. A few of the keys that a filter rejects pass to the loader as trials.
 *
 * <p>Below, a key is rejected if the filter calls it absent. The guard of a blacklist rejects the
 * keys that its filter holds instead; if there is an exact source, only those that the source
 * confirms: {@link #get}, {@link #getAsync} and {@link #getAll} then keep no values and load each
 * time, undecided keys pass without a place in the bulkhead, and there are no trials. {@link
 * #check} still returns the filter's answer, and asks no exact source.
 *
 * <p>Every method throws {@code io.bloomguard.filter.InvalidKeyException} for a key that is null,
 * of another type, too long, malformed or has control characters; nothing is looked up then.
 *
 * @param <V> the type of the values
 */
public interface BloomGuard<V> {

  /** {@return the filter's name} */
  String filter();

  /**
   * {@return the filter's answer for {@code key}, without a load}
   *
   * @param key a string, integral number, UUID, enum constant, or a list of these
   */
  Membership check(Object key);

  /**
   * {@return the filter's answers for {@code keys}, in their order, without a load}
   *
   * @param keys each as for {@link #check}
   */
  List<Membership> checkAll(Collection<?> keys);

  /**
   * Asks the filter for a key, for a caller whose thread must not wait.
   *
   * @param key a string, integral number, UUID, enum constant, or a list of these
   * @return the filter's answer; fails with {@link RequestShedException} if too many asynchronous
   *     calls are under way
   */
  CompletionStage<Membership> checkAsync(Object key);

  /**
   * Asks the filter for many keys, for a caller whose thread must not wait.
   *
   * @param keys each as for {@link #check}
   * @return the filter's answers in the order of the keys; fails as {@link #checkAsync} does
   */
  CompletionStage<List<Membership>> checkAllAsync(Collection<?> keys);

  /**
   * Decides for a caller that continues by itself.
   *
   * @param key a string, integral number, UUID, enum constant, or a list of these
   * @return false if the filter says absent
   * @throws RequestShedException if the filter cannot tell and its policy is closed
   */
  boolean admit(Object key);

  /**
   * Reports that {@code keys} exist although {@link #check} answered absent. Only keys that are
   * absent in this second check count; the filter's setting {@code verify.reports} determines what
   * a wrong rejection leads to. Records no outcome.
   *
   * @param keys keys that have a row
   * @return how many were wrongly rejected
   */
  int reportFound(Collection<?> keys);

  /**
   * Decides, then calls {@code loader} without the value cache: null without a call if the filter
   * says absent; through the bulkhead if it cannot tell.
   *
   * @param <X> the exception of the loader
   * @param key a string, integral number, UUID, enum constant, or a list of these
   * @param loader reads the value, on the calling thread
   * @return the loader's value, null for none
   * @throws RequestShedException if the filter cannot tell and its policy is closed or the bulkhead
   *     is full
   * @throws X the exception of the loader
   */
  <X extends Throwable> @Nullable V call(Object key, ValueLoader<V, X> loader) throws X;

  /**
   * {@return the value of {@code key}: null without a load if the filter says absent; from the
   * value cache; or from {@code loader}, which runs on the calling thread, once for all callers
   * that wait for the key}
   *
   * @param <X> the exception of the loader
   * @param key a string, integral number, UUID, enum constant, or a list of these
   * @param loader reads the value from the database
   * @throws RequestShedException if the bulkhead is full, the wait for another caller's load is
   *     over, or the filter cannot tell and its policy is closed
   * @throws X the exception of the loader; callers that waited for it get the same
   */
  <X extends Throwable> @Nullable V get(Object key, ValueLoader<V, X> loader) throws X;

  /**
   * {@return the values of {@code keys}, with one call of {@code loader} for all keys that must be
   * loaded here, or several calls if taking their leases would take longer than the first lease
   * lasts} Keys without a value are not in the answer.
   *
   * @param <K> the type of the keys
   * @param <X> the exception of the loader
   * @param keys the keys, of which equal ones count once
   * @param loader reads the values of the keys that it gets
   * @throws RequestShedException as for {@link #get}
   * @throws X the exception of the loader
   */
  <K, X extends Throwable> Map<K, V> getAll(Collection<K> keys, BatchLoader<K, V, X> loader)
      throws X;

  /**
   * Gets the value of a key by a load that ends on another thread, without blocking a thread. A
   * call runs on the calling thread until it has to wait. From then on it runs on threads of the
   * guard, the call of {@code loader} included. Inside a transaction the calling thread asks the
   * filter and the value cache itself, so that the load takes part in it.
   *
   * @param key a string, integral number, UUID, enum constant, or a list of these
   * @param loader begins the load of the value
   * @return the value, null for none; fails with the exception of the load, or with {@link
   *     RequestShedException} as {@link #get} does
   * @throws RequestShedException if a filter that answers on the calling thread cannot tell and its
   *     policy is closed
   */
  CompletionStage<@Nullable V> getAsync(
      Object key, Supplier<? extends CompletionStage<? extends @Nullable V>> loader);

  /**
   * Finds the values of many keys, for a caller whose thread must not wait: absent keys have none,
   * the cache has some, and one load brings the others. A thread of the guard calls {@code loader}
   * and waits for its stage, up to the time limit of a load; an overdue stage is cancelled.
   *
   * @param <K> the type of the keys
   * @param keys each as for {@link #check}
   * @param loader begins the load of the keys that it gets; its map may lack keys
   * @return the values of the keys that have one; fails with the exception of the load, {@link
   *     java.util.concurrent.TimeoutException} if that is overdue, or {@link RequestShedException}
   */
  <K> CompletionStage<Map<K, V>> getAllAsync(
      Collection<K> keys, Function<? super Set<K>, ? extends CompletionStage<Map<K, V>>> loader);

  /**
   * Adds a key before its row becomes visible, and drops its entries. No process that shares the
   * filter calls the key absent once this has returned; within a transaction that Spring binds to
   * the calling thread, no other process does once that has committed.
   *
   * @param key a string, integral number, UUID, enum constant, or a list of these
   * @return true if it was new: absent until then
   * @throws AddFailedException if the add could not be stored
   */
  boolean put(Object key);

  /**
   * Adds many keys before their rows become visible, and drops their entries.
   *
   * @param keys each as for {@link #check}
   * @return the number of new keys
   */
  int putAll(Collection<?> keys);

  /**
   * Adds many keys, for a caller that continues with the new ones only.
   *
   * @param keys each as for {@link #check}
   * @return for each key, in their order, whether it was new
   */
  List<Boolean> putEach(Collection<?> keys);

  /**
   * Adds many keys, once for each claim: a repeat with the same keys, in the same order, gets the
   * answer of the first add, as long as the claim is kept ({@code claims.ttl}, 24 hours by default;
   * a failover of Redis may lose it, and then a repeat may get {@code false}).
   *
   * @param keys each as for {@link #check}, at most 32,000
   * @param claim names the add, such as the query, topic, partition and first offset of a batch
   * @return for each key, in their order, whether it was new when it was first added
   * @throws ClaimRefusedException if the claim stands for other keys, or the filter keeps none
   * @throws AddFailedException if the add could not be stored
   */
  default List<Boolean> putEach(Collection<?> keys, String claim) {
    throw new ClaimRefusedException("This guard keeps no claims");
  }

  /**
   * Adds a key for a caller whose thread must not wait.
   *
   * @param key a string, integral number, UUID, enum constant, or a list of these
   * @return whether it was new
   */
  CompletionStage<Boolean> putAsync(Object key);

  /**
   * Adds many keys for a caller whose thread must not wait.
   *
   * @param keys each as for {@link #check}
   * @return the number of new keys
   */
  CompletionStage<Integer> putAllAsync(Collection<?> keys);

  /**
   * Drops the entries of a key whose row has changed or gone.
   *
   * @param key a string, integral number, UUID, enum constant, or a list of these
   */
  void evict(Object key);

  /**
   * Drops the entries of a key for a caller whose thread must not wait.
   *
   * @param key a string, integral number, UUID, enum constant, or a list of these
   * @return ends with the eviction
   */
  CompletionStage<@Nullable Void> evictAsync(Object key);

  /**
   * Takes back one addition of each key, now.
   *
   * @param keys keys of rows that are gone
   * @return how many keys were removed; 0 if the filter's layout cannot remove keys
   */
  int removeAll(Collection<?> keys);
}

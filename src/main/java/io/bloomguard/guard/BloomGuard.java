package io.bloomguard.guard;

import io.bloomguard.guard.load.Place;
import io.bloomguard.guard.verify.Trial;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The guard of one filter and one value cache, as code calls it.
 *
 * <p>Keys are strings, integral numbers, UUIDs or enum constants; see {@code
 * io.bloomguard.filter.CanonicalKey}. Each call records exactly one outcome for each key.
 *
 * <p>A filter that is disarmed, or observes, rejects nothing: what it would reject is counted as
 * rejected and goes on through the bulkhead, and a question is answered {@link Membership#UNKNOWN}.
 * Of what a filter rejects, a few keys are let through to the loader as {@link Trial}s.
 *
 * <p>Below, a key is rejected that the filter calls absent. The guard of a blacklist ({@link
 * Reject#PRESENT}) rejects the keys that its filter holds instead, as far as an exact source, where
 * there is one, confirms it: {@link #get}, {@link #getAsync} and {@link #getAll} then keep no
 * values and load each time, undecided keys pass without a place in the bulkhead, and there are no
 * trials. {@link #check} still returns the filter's answer, and asks no exact source.
 *
 * <p>Every method throws {@code io.bloomguard.filter.InvalidKeyException} for a key that is null,
 * of another type, too long, malformed or has control characters; nothing is looked up then.
 */
public interface BloomGuard<V> {

  /** The filter's name. */
  String filter();

  /** Decides only: what the filter says of {@code key}. */
  Membership check(Object key);

  /** Decides only: the answers for {@code keys}, in their order. */
  List<Membership> checkAll(Collection<?> keys);

  /**
   * Decides for a caller that goes on by itself: false if the filter says absent.
   *
   * @throws RequestShedException if the filter cannot tell and its policy is closed
   */
  boolean admit(Object key);

  /**
   * As {@link #admit(Object)}, for a caller that continues for a while and holds a place in the
   * bulkhead meanwhile if the filter cannot tell: {@code onPlace} gets it before true is returned.
   * The caller enters it around its further work, and closes it.
   *
   * @param onTrial gets the trial of a rejected key that is let through, for a caller that learns
   *     whether the key exists; null where none is. The caller {@link Trial#enter enters} it around
   *     its further work, and ends it. It holds a place in the bulkhead until its end.
   * @throws RequestShedException if the filter cannot tell and its policy is closed or the bulkhead
   *     is full
   */
  boolean admit(
      Object key, @Nullable Consumer<? super Trial> onTrial, Consumer<? super Place> onPlace);

  /**
   * Takes the caller's word that {@code keys} exist although {@link #check} answered absent. Only
   * those count that are absent at this second look; what a wrong rejection leads to is the
   * filter's setting {@code verify.reports}. Records no outcome.
   *
   * @return how many were wrongly rejected
   */
  int reportFound(Collection<?> keys);

  /**
   * Decides for a caller that continues with the keys that pass, and holds a place in the bulkhead
   * for it meanwhile, if the filter cannot tell for one of them.
   *
   * @throws RequestShedException if the filter cannot tell and its policy is closed or the bulkhead
   *     is full
   */
  <K> Admission<K> enter(Collection<K> keys);

  /**
   * As {@link #enter}, for a caller whose thread must not wait for the place: the answer comes at
   * once, or on a thread of the guard. A caller that waits no longer cancels it; a place that comes
   * all the same is given back.
   */
  <K> CompletableFuture<Admission<K>> enterLater(Collection<K> keys);

  /**
   * The same for one key, which may pass as a trial although the filter calls it absent.
   *
   * @param onTrial gets the trial, if it is one, before this returns; a caller that goes on says
   *     what came of it before closing the admission, which ends it without a verdict otherwise
   */
  <K> CompletableFuture<Admission<K>> enterLater(K key, Consumer<? super Trial> onTrial);

  /**
   * Decides, then calls {@code loader} without the value cache: null without a call if the filter
   * says absent; through the bulkhead if it cannot tell.
   *
   * @throws RequestShedException if the filter cannot tell and its policy is closed or the bulkhead
   *     is full
   */
  <X extends Throwable> @Nullable V call(Object key, ValueLoader<V, X> loader) throws X;

  /**
   * The value of {@code key}: null without a load if the filter says absent; from the value cache;
   * or from {@code loader}, which runs on the calling thread and once for all who wait for the key.
   *
   * @throws RequestShedException if the bulkhead is full, the wait for another caller's load is
   *     over, or the filter cannot tell and its policy is closed
   * @throws X what the loader threw; callers that waited for it get the same
   */
  <X extends Throwable> @Nullable V get(Object key, ValueLoader<V, X> loader) throws X;

  /**
   * The values of {@code keys}, with one call of {@code loader} for all that must be loaded here;
   * with more where taking their leases would take longer than the first one lasts. Keys without a
   * value are not in the answer.
   *
   * @throws RequestShedException as for {@link #get}
   */
  <K, X extends Throwable> Map<K, V> getAll(Collection<K> keys, BatchLoader<K, V, X> loader)
      throws X;

  /**
   * As {@link #get}, for a load that ends on another thread. The filter is asked on the calling
   * thread; after that nothing blocks a thread. A call goes on where it was made as long as it need
   * not wait; then, the call of {@code loader} included, on threads of the guard. Inside a
   * transaction the calling thread asks the value cache itself, so that the load takes part in it.
   */
  CompletionStage<@Nullable V> getAsync(
      Object key, Supplier<? extends CompletionStage<? extends @Nullable V>> loader);

  /**
   * Adds {@code key} before its row becomes visible, drops its value and null entry, and keeps null
   * entries away until the surrounding transaction, if there is one, has completed.
   *
   * @return true if it was new: absent until then
   * @throws AddFailedException if the add could not be stored
   */
  boolean put(Object key);

  /** As {@link #put}, for many keys. Returns how many were new. */
  int putAll(Collection<?> keys);

  /**
   * As {@link #putAll}, for a caller that continues with the new keys only. Of all callers that add
   * one key, at most one gets "new"; none where the key was a false positive, where the filter
   * cannot tell, and where the answer was lost.
   *
   * @return for each key, in their order, whether it was new: true at most once for equal keys
   */
  List<Boolean> putEach(Collection<?> keys);

  /** Begins a write of {@code key} that the caller ends with {@link Write#close}. */
  Write beginWrite(Object key);

  /**
   * Begins the write of many rows, in as few steps as the filter and its caches allow; the caller
   * ends it with {@link Write#close}.
   *
   * @param added keys that rows have now: they enter the filter
   * @param changed keys whose rows change or go: only their value and null entries are dropped
   */
  Write beginWrites(Collection<?> added, Collection<?> changed);

  /**
   * Drops the value and null entry of {@code key} now and, where there is a transaction, again when
   * it has completed, and removes the key from the filter then, where its layout can and the
   * transaction is known to have committed.
   */
  default void evict(Object key) {
    evictAll(Collections.singletonList(key), beginRemoval());
  }

  /**
   * As {@link #evict(Object)}, for many keys in one step, with a removal that began before their
   * rows went. Equal keys are one row.
   *
   * @param removal of this guard's filter
   */
  void evictAll(Collection<?> keys, Removal removal);

  /** Begins the removal of keys whose rows are about to go. Sends no request. */
  Removal beginRemoval();

  /**
   * Takes one addition of each key back, now. The caller knows that each was added, and that its
   * row is gone for good: removing what was never added may make other keys absent.
   *
   * @return how many keys were removed; 0 where the filter's layout cannot
   * @throws RemovalFailedException if nothing was removed because the store could not, or if it is
   *     not known what was
   */
  int removeAll(Collection<?> keys);

  /**
   * A removal that began before the rows of its keys went, so that it changes no generation that
   * was read from the source after that and never had them.
   */
  @FunctionalInterface
  interface Removal {

    /** Removes keys whose rows are gone for good, if the same generation serves. Never throws. */
    void gone(Collection<?> keys);
  }

  /** Keys that passed, until the caller has done with them. */
  interface Admission<K> extends AutoCloseable {

    /** The keys that are not absent, in the order asked. */
    List<K> keys();

    /**
     * Makes the place in the bulkhead, if there is one, that of the guarded calls on this thread,
     * until the answer is closed: they take no second one.
     */
    Place.Scope enter();

    /** Gives the place in the bulkhead back; may be called more than once. */
    @Override
    void close();
  }

  /** A write under way: what it adds is in the filter and no null entry is stored for its keys. */
  interface Write extends AutoCloseable {

    /**
     * Called before the commit: adds the keys again if the write has been open for so long that a
     * generation built meanwhile might not have them.
     */
    void renew();

    /** Lifts the barrier and drops value and null entries; the write has completed either way. */
    @Override
    void close();
  }
}

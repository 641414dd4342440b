package io.bloomguard.guard.internal;

import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.PendingAdd;
import io.bloomguard.guard.RemovalFailedException;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.Transactions;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The writes of one filter's rows: a key enters the filter before its row becomes visible, and the
 * caches drop what they hold of a key whose row has changed.
 */
public interface KeyWrites {

  /**
   * {@return keys with the scope of this call, if those of the filter have one}
   *
   * @param keys keys as the caller has them, or {@link KeyScope.Scoped}
   * @param context the context of a subscriber; null for the scope of the calling thread
   * @throws IllegalStateException if the call has no scope
   */
  Collection<?> scoped(Collection<?> keys, @Nullable Object context);

  /**
   * Adds many keys for a caller whose thread must not wait: a thread of the guard waits for Redis.
   * The rows are written after the stage has completed. Inside a transaction of the calling thread,
   * the add is on that thread.
   *
   * @param keys each as for {@link BloomGuard#check}
   * @return the number of new keys; fails with {@link AddFailedException} if the add could not be
   *     stored, or {@link RequestShedException} if too many asynchronous calls are under way
   */
  CompletionStage<Integer> putAllAsync(Collection<?> keys);

  /**
   * Adds many keys before their rows become visible, drops their values and null entries, and
   * prevents null entries until the surrounding transaction, if there is one, has completed. No
   * other process calls the keys absent once this has returned, or within a transaction once that
   * has committed.
   *
   * <p>Of all callers that add one key, at most one gets "new"; none gets it if the key was a false
   * positive, the filter cannot tell, or the answer was lost. With a claim, a repeat with the same
   * keys gets the answer of the first, as long as the claim is kept.
   *
   * @param keys each as for {@link BloomGuard#check}
   * @param claim names the add; null for none
   * @return for each key, in their order, whether it was new: true at most once for equal keys
   * @throws AddFailedException if the add could not be stored
   * @throws io.bloomguard.guard.ClaimRefusedException if the claim stands for other keys, or the
   *     filter keeps none
   */
  List<Boolean> putEach(Collection<?> keys, @Nullable String claim);

  /**
   * Begins the write of many rows, in as few steps as the filter and its caches allow; the caller
   * ends it with {@link Write#close}. Without a key it is a write whose keys come later: until its
   * end, no lookup of its transaction is rejected. Waits for the copies of the filter in other
   * processes, or leaves that to the transaction of the calling thread, as {@link #putEach} does.
   *
   * @param added keys that rows have now: they enter the filter
   * @param changed keys whose rows change or go: only their value and null entries are dropped
   * @return the write, open until it is closed
   */
  Write beginWrites(Collection<?> added, Collection<?> changed);

  /**
   * Begins the write of many rows, whose owner waits for the copies of the filter in other
   * processes before the rows become visible.
   *
   * @param added keys that rows have now: they enter the filter
   * @param changed keys whose rows change or go: only their value and null entries are dropped
   * @param adds gets each add of the write, those of its {@link Write#renew} included
   * @return the write, open until it is closed
   */
  Write beginWrites(Collection<?> added, Collection<?> changed, Consumer<PendingAdd> adds);

  /**
   * Drops the entries of a key for a caller whose thread must not wait.
   *
   * @param key a string, integral number, UUID or enum constant
   * @return ends with the eviction; fails as {@link #putAllAsync} does
   */
  CompletionStage<@Nullable Void> evictAsync(Object key);

  /**
   * Drops the values and null entries of many keys now and, in a transaction, again when that has
   * completed. Then the removal, which began before their rows were deleted, also removes the keys
   * from the filter, if the filter's layout can and the transaction is known to have committed.
   * Equal keys are one row.
   *
   * @param keys keys of deleted rows
   * @param removal of this guard's filter, which this closes
   */
  void evictAll(Collection<?> keys, Removal removal);

  /**
   * {@return the removal of keys whose rows are about to be deleted, which the caller closes unless
   * an eviction takes it} Sends no request. It removes nothing where entities of the filter remove
   * their keys by themselves.
   */
  Removal beginRemoval();

  /** {@return the same for a caller that sees each row of an entity go} */
  Removal beginRemovalOfRows();

  /**
   * Begins an asynchronous call that writes, for a caller whose thread must not wait.
   *
   * @return the call, under way until it is {@linkplain AsyncCall#end ended}; {@link
   *     AsyncCall#HERE} if a write of this filter waits for nothing, and inside a transaction of
   *     the calling thread
   * @throws RequestShedException if too many asynchronous calls are under way
   */
  AsyncCall beginAsync();

  /**
   * Takes back one addition of each key, now. The caller knows that each key was added, and that
   * its row is gone for good: removing a key that was never added may make other keys absent.
   *
   * @param keys keys of rows that are gone
   * @return how many keys were removed; 0 if the filter's layout cannot remove keys
   * @throws RemovalFailedException if the store could not remove any key, or if it is not known
   *     which keys were removed
   */
  int removeAll(Collection<?> keys);

  /**
   * Takes in rows that another program has committed: their keys enter the filter, and the caches
   * drop what they hold of them. Waits for the copies of the filter in other processes.
   *
   * @param added keys that rows have now
   * @param changed keys whose rows changed or went
   * @throws AddFailedException if an add could not be stored
   * @throws CacheUnavailableException if entries could not be dropped
   */
  void committed(Collection<?> added, Collection<?> changed);

  /**
   * Takes back one addition of each key, now, for the feed of changes.
   *
   * @param keys keys of rows that are gone
   * @param stamp of the generation that has them; if another one serves by now, nothing is removed
   * @return how many keys were removed
   * @throws RemovalFailedException as {@link #removeAll(Collection)} does
   */
  int removeAll(Collection<?> keys, long stamp);

  /**
   * Tells the feed of changes of the writes that it need not take in, and leaves all removals to
   * it: no other caller removes a key from now on.
   *
   * @param feed the feed
   */
  void followedBy(OwnWrites feed);

  /**
   * Drops the values and null entries of all keys, and revokes the loads under way, for a feed that
   * does not know which rows have changed.
   *
   * @throws io.bloomguard.guard.CacheUnavailableException if a value cache is out of reach
   */
  void dropAll();

  /**
   * An asynchronous call under way, whose steps wait on threads of the guard. A stage that it
   * returns is completed on another of them, in the place that the caller of the step works in, or
   * on the thread that has waited if no other can be started.
   */
  interface AsyncCall {

    /** The call whose steps run on the calling thread. */
    AsyncCall HERE =
        new AsyncCall() {
          @Override
          public CompletableFuture<@Nullable Void> run(Supplier<CompletableFuture<?>> step) {
            return end(() -> step.get().join());
          }

          @Override
          public CompletableFuture<@Nullable Void> end(Runnable step) {
            try {
              step.run();
              return CompletableFuture.completedFuture(null);
            } catch (Throwable e) {
              return CompletableFuture.failedFuture(e);
            }
          }
        };

    /**
     * Runs a step that may wait, and whose last part waits on no thread.
     *
     * @param step the step; what it returns is its last part
     * @return ends with the step; fails as the step does, or with {@link RequestShedException} if
     *     no thread can be started for it
     */
    CompletableFuture<@Nullable Void> run(Supplier<CompletableFuture<?>> step);

    /**
     * Runs the last step, and ends the call. Called once, after the other steps have ended. If no
     * thread can be started, the calling thread runs the step.
     *
     * @param step the last step
     * @return ends with the step, and fails as the step does
     */
    CompletableFuture<@Nullable Void> end(Runnable step);
  }

  /**
   * A removal that began before the rows of its keys were deleted. It changes no generation that
   * was read from the source after the deletion and so never had the keys.
   *
   * <p>Until it is closed, and until the transaction in which its keys were evicted has ended, no
   * other removal on the same thread removes the same key a second time.
   */
  @FunctionalInterface
  interface Removal extends AutoCloseable {

    /**
     * Removes keys whose rows are gone for good, if the same generation serves. Never throws.
     *
     * @param keys the keys of these rows, canonical or as the caller has them
     */
    void gone(Collection<?> keys);

    /** Ends the time in which equal keys are removed once; idempotent, and never throws. */
    @Override
    default void close() {}
  }

  /**
   * A write under way: the keys that it adds are in the filter, and no null entry is stored for
   * them.
   */
  @FunctionalInterface
  interface Write extends AutoCloseable {

    /**
     * Called before the commit: adds the keys again if the write has been open for so long that a
     * generation built meanwhile might not have them.
     */
    default void renew() {}

    /**
     * Lifts the barrier and drops value and null entries, whether the write succeeded or failed.
     */
    @Override
    void close();

    /**
     * Closes the write; if its end was not seen, only after the longest time that a statement takes
     * ({@code writes.timeout}). Until then the write stays open.
     *
     * @param end the end of the write, as far as it is known
     */
    default void end(Transactions.End end) {
      close();
    }
  }
}

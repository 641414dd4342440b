package io.bloomguard.guard.internal;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.RequestShedException;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A guard as the entry points of the library call it: they continue by themselves with the keys
 * that pass, in a place of the bulkhead or under a trial.
 *
 * @param <V> the type of the values
 */
public interface EntryGuard<V> extends BloomGuard<V> {

  /**
   * Asks which keys of a call go on, for a caller that may wait for the filter and for a place.
   *
   * @param <K> the type of the keys
   * @param ask the question
   * @return the keys that go on; the caller ends it
   * @throws RequestShedException if the filter cannot tell and its policy is closed or the bulkhead
   *     is full
   */
  <K> Pass<K> ask(Ask<K> ask);

  /**
   * Asks which keys of a call go on, for a caller whose thread must not wait, neither now nor when
   * it ends the pass: the answer comes at once, or on a thread of the guard. A caller that stops
   * waiting cancels the future; a pass that comes afterwards is closed.
   *
   * @param <K> the type of the keys
   * @param ask the question
   * @return the keys that go on, which the caller ends; fails with {@link RequestShedException} if
   *     the bulkhead is full
   * @throws RequestShedException if the filter cannot tell and its policy is closed
   */
  <K> CompletableFuture<Pass<K>> askLater(Ask<K> ask);

  /**
   * Decides whether a request is judged whose key is in doubt, because its path can be read in two
   * ways: not by a blacklist, nor by a filter whose policy is closed, while they enforce.
   *
   * @return false if the request is refused
   * @throws RequestShedException if the policy is closed
   */
  boolean admitUnclear();

  /** {@return whether one more rejected key passes, at the rate of the keys that are verified} */
  boolean letPass();

  /**
   * Asks for many keys, for a caller that waits longer than a request does.
   *
   * @param keys each as for {@link #check}
   * @param atLeast the time that the filter's backend has to answer
   * @return the answers, in the order of the keys
   */
  List<Membership> checkAll(Collection<?> keys, Duration atLeast);

  /**
   * {@return this guard for one call, whose keys have the scope that is read here}
   *
   * @param context the context of a subscriber; null for the scope of the calling thread
   */
  EntryGuard<V> ofCall(@Nullable Object context);

  /**
   * {@return the text under which the filter knows a key, one for all its spellings; null for a
   * value that cannot be a key}
   *
   * @param key a value of any type
   */
  @Nullable String text(@Nullable Object key);

  /** {@return the writes of this filter's rows} */
  KeyWrites writes();

  @Override
  default boolean put(Object key) {
    return putAll(List.of(key)) > 0;
  }

  @Override
  default int putAll(Collection<?> keys) {
    return Collections.frequency(putEach(keys), true);
  }

  @Override
  default List<Boolean> putEach(Collection<?> keys) {
    return writes().putEach(keys, null);
  }

  @Override
  default List<Boolean> putEach(Collection<?> keys, String claim) {
    return writes().putEach(keys, claim);
  }

  @Override
  default CompletionStage<Boolean> putAsync(Object key) {
    return putAllAsync(List.of(key)).thenApply(added -> added > 0);
  }

  @Override
  default CompletionStage<Integer> putAllAsync(Collection<?> keys) {
    return writes().putAllAsync(keys);
  }

  @Override
  default void evict(Object key) {
    writes().evictAll(Collections.singletonList(key), writes().beginRemoval());
  }

  @Override
  default CompletionStage<@Nullable Void> evictAsync(Object key) {
    return writes().evictAsync(key);
  }

  @Override
  default int removeAll(Collection<?> keys) {
    return writes().removeAll(keys);
  }
}

package io.bloomguard.guard.decision;

import io.bloomguard.guard.BloomGuard;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A guard that decides in its own way, and forwards each write to another guard of its filter. */
abstract class WriteForwardingGuard<V> implements BloomGuard<V> {

  private final BloomGuard<V> guard;

  /**
   * @param guard a guard of the same filter
   */
  WriteForwardingGuard(BloomGuard<V> guard) {
    this.guard = guard;
  }

  @Override
  public final String filter() {
    return guard.filter();
  }

  @Override
  public final boolean put(Object key) {
    return guard.put(key);
  }

  @Override
  public final int putAll(Collection<?> keys) {
    return guard.putAll(keys);
  }

  @Override
  public final CompletionStage<Boolean> putAsync(Object key) {
    return guard.putAsync(key);
  }

  @Override
  public final CompletionStage<Integer> putAllAsync(Collection<?> keys) {
    return guard.putAllAsync(keys);
  }

  @Override
  public final CompletionStage<@Nullable Void> evictAsync(Object key) {
    return guard.evictAsync(key);
  }

  @Override
  public final List<Boolean> putEach(Collection<?> keys) {
    return guard.putEach(keys);
  }

  @Override
  public final Write beginWrite(Object key) {
    return guard.beginWrite(key);
  }

  @Override
  public final Write beginWrites(Collection<?> added, Collection<?> changed) {
    return guard.beginWrites(added, changed);
  }

  @Override
  public final void evictAll(Collection<?> keys, Removal removal) {
    guard.evictAll(keys, removal);
  }

  @Override
  public final Removal beginRemoval() {
    return guard.beginRemoval();
  }

  @Override
  public final Removal beginRemovalOfRows() {
    return guard.beginRemovalOfRows();
  }

  @Override
  public final AsyncCall beginAsync() {
    return guard.beginAsync();
  }

  @Override
  public final int removeAll(Collection<?> keys) {
    return guard.removeAll(keys);
  }
}

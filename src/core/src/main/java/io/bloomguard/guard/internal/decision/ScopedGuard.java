package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.BatchLoader;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.KeyScope;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.Pass;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The guard of a filter whose keys have a scope, which each call reads once, as it begins. A call
 * without one passes undecided, and keeps nothing.
 *
 * @param guards the guard of a call under a scope; null for none
 * @param writes those of all calls
 */
record ScopedGuard<V>(
    KeyScope scope, Function<@Nullable Object, ? extends EntryGuard<V>> guards, KeyWrites writes)
    implements EntryGuard<V> {

  @Override
  public EntryGuard<V> ofCall(@Nullable Object context) {
    return guards.apply(scope.read(context));
  }

  private EntryGuard<V> now() {
    return ofCall(null);
  }

  /** What is the same for all scopes, also on threads that know none. */
  private EntryGuard<V> any() {
    return guards.apply(null);
  }

  @Override
  public String filter() {
    return any().filter();
  }

  @Override
  public Membership check(Object key) {
    return now().check(key);
  }

  @Override
  public CompletionStage<Membership> checkAsync(Object key) {
    return now().checkAsync(key);
  }

  @Override
  public List<Membership> checkAll(Collection<?> keys) {
    return now().checkAll(keys);
  }

  @Override
  public List<Membership> checkAll(Collection<?> keys, Duration atLeast) {
    return now().checkAll(keys, atLeast);
  }

  @Override
  public CompletionStage<List<Membership>> checkAllAsync(Collection<?> keys) {
    return now().checkAllAsync(keys);
  }

  @Override
  public @Nullable String text(@Nullable Object key) {
    return any().text(key);
  }

  /** Without a scope the keys are unknown: the filter lacks them as they are. */
  @Override
  public int reportFound(Collection<?> keys) {
    Object own = scope.read(null);
    return own == null ? 0 : guards.apply(own).reportFound(keys);
  }

  @Override
  public <K> Pass<K> ask(Ask<K> ask) {
    return now().ask(ask);
  }

  @Override
  public <K> CompletableFuture<Pass<K>> askLater(Ask<K> ask) {
    return now().askLater(ask);
  }

  @Override
  public boolean admit(Object key) {
    return now().admit(key);
  }

  @Override
  public <X extends Throwable> @Nullable V call(Object key, ValueLoader<V, X> loader) throws X {
    return now().call(key, loader);
  }

  @Override
  public <X extends Throwable> @Nullable V get(Object key, ValueLoader<V, X> loader) throws X {
    return now().get(key, loader);
  }

  @Override
  public CompletionStage<@Nullable V> getAsync(
      Object key, Supplier<? extends CompletionStage<? extends @Nullable V>> loader) {
    return now().getAsync(key, loader);
  }

  @Override
  public <K, X extends Throwable> Map<K, V> getAll(Collection<K> keys, BatchLoader<K, V, X> loader)
      throws X {
    return now().getAll(keys, loader);
  }

  @Override
  public <K> CompletionStage<Map<K, V>> getAllAsync(
      Collection<K> keys, Function<? super Set<K>, ? extends CompletionStage<Map<K, V>>> loader) {
    return now().getAllAsync(keys, loader);
  }
}

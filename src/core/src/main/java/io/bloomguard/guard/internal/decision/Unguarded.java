package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.BatchLoader;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.PendingAdd;
import io.bloomguard.guard.Trial;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.guard.internal.Place;
import io.bloomguard.guard.internal.Subjects;
import io.bloomguard.guard.internal.load.LoadStages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The guards of an application in which the guard is turned off: every call passes as if there were
 * no filter and no cache, and no put is stored.
 */
public final class Unguarded implements EntryGuards {

  /** No filter is known. */
  @Override
  public Set<String> filters() {
    return Set.of();
  }

  @Override
  public <V> EntryGuard<V> guard(String filter, String cache, ValueType<V> type, EntryPoint entry) {
    return new Open<>(filter);
  }

  @Override
  public EntryGuard<Object> guard(String filter, String subject, EntryPoint entry) {
    Subjects.require(subject);
    return new Open<>(filter);
  }

  private record Open<V>(String filter) implements EntryGuard<V> {

    @Override
    public Membership check(Object key) {
      return Membership.UNKNOWN;
    }

    @Override
    public List<Membership> checkAll(Collection<?> keys) {
      return Collections.nCopies(keys.size(), Membership.UNKNOWN);
    }

    @Override
    public CompletionStage<Membership> checkAsync(Object key) {
      return CompletableFuture.completedFuture(check(key));
    }

    @Override
    public List<Membership> checkAll(Collection<?> keys, Duration atLeast) {
      return checkAll(keys);
    }

    @Override
    public CompletionStage<List<Membership>> checkAllAsync(Collection<?> keys) {
      return CompletableFuture.completedFuture(checkAll(keys));
    }

    @Override
    public <K> Pass<K> ask(Ask<K> ask) {
      return new KeysPass<>(ask.keys(), null, null);
    }

    @Override
    public <K> CompletableFuture<Pass<K>> askLater(Ask<K> ask) {
      return CompletableFuture.completedFuture(ask(ask));
    }

    @Override
    public boolean admit(Object key) {
      return true;
    }

    @Override
    public boolean admit(
        Object key, @Nullable Consumer<? super Trial> onTrial, Consumer<? super Place> onPlace) {
      return true;
    }

    @Override
    public CompletableFuture<Boolean> admitAsync(
        Object key, @Nullable Consumer<? super Trial> onTrial, Consumer<? super Place> onPlace) {
      return CompletableFuture.completedFuture(true);
    }

    @Override
    public int reportFound(Collection<?> keys) {
      return 0;
    }

    @Override
    public <K> Admission<K> enter(Collection<K> keys) {
      return new BulkheadAdmission<>(new ArrayList<>(keys), null);
    }

    @Override
    public <K> CompletableFuture<Admission<K>> enterAsync(Collection<K> keys) {
      return CompletableFuture.completedFuture(enter(keys));
    }

    @Override
    public <K> CompletableFuture<Admission<K>> enterAsync(K key, Consumer<? super Trial> onTrial) {
      return CompletableFuture.completedFuture(
          new BulkheadAdmission<>(Collections.singletonList(key), null));
    }

    @Override
    public <X extends Throwable> @Nullable V call(Object key, ValueLoader<V, X> loader) throws X {
      return loader.load();
    }

    @Override
    public <X extends Throwable> @Nullable V get(Object key, ValueLoader<V, X> loader) throws X {
      return loader.load();
    }

    @Override
    public <K, X extends Throwable> Map<K, V> getAll(
        Collection<K> keys, BatchLoader<K, V, X> loader) throws X {
      if (keys.isEmpty()) {
        return Map.of();
      }
      Set<K> asked = new LinkedHashSet<>(keys);
      return found(asked, loader.load(asked));
    }

    private <K> Map<K, V> found(Collection<K> asked, @Nullable Map<K, V> loaded) {
      return FoundValues.of(asked, loaded, UnaryOperator.identity());
    }

    @Override
    public <K> CompletionStage<Map<K, V>> getAllAsync(
        Collection<K> keys, Function<? super Set<K>, ? extends CompletionStage<Map<K, V>>> loader) {
      Set<K> asked = new LinkedHashSet<>(keys);
      return asked.isEmpty()
          ? CompletableFuture.completedFuture(Map.of())
          : LoadStages.<Map<K, V>>begin(() -> loader.apply(asked), null)
              .thenApply(values -> found(asked, values));
    }

    @Override
    public CompletionStage<@Nullable V> getAsync(
        Object key, Supplier<? extends CompletionStage<? extends @Nullable V>> loader) {
      try {
        return loader.get().thenApply(value -> value);
      } catch (RuntimeException e) {
        return CompletableFuture.failedFuture(e);
      }
    }

    @Override
    public @Nullable String text(@Nullable Object key) {
      return FoundValues.text(key, UnaryOperator.identity());
    }

    @Override
    public KeyWrites writes() {
      return NoWrites.NO_WRITES;
    }
  }

  private enum NoWrites implements KeyWrites {
    NO_WRITES;

    @Override
    public int putAll(Collection<?> keys) {
      return 0;
    }

    @Override
    public CompletionStage<Integer> putAllAsync(Collection<?> keys) {
      return CompletableFuture.completedFuture(0);
    }

    @Override
    public List<Boolean> putEach(Collection<?> keys) {
      return Collections.nCopies(keys.size(), false);
    }

    @Override
    public CompletionStage<@Nullable Void> evictAsync(Object key) {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public Write beginWrites(Collection<?> added, Collection<?> changed) {
      return NoWrite.NO_WRITE;
    }

    @Override
    public Write beginWrites(
        Collection<?> added, Collection<?> changed, Consumer<PendingAdd> adds) {
      return NoWrite.NO_WRITE;
    }

    @Override
    public void evictAll(Collection<?> keys, Removal removal) {
      // There is no cache to drop them from.
    }

    @Override
    public Removal beginRemoval() {
      return keys -> {};
    }

    @Override
    public int removeAll(Collection<?> keys) {
      return 0;
    }
  }

  private enum NoWrite implements KeyWrites.Write {
    NO_WRITE;

    @Override
    public void renew() {
      // The key was added nowhere.
    }

    @Override
    public void close() {
      // The write holds no barrier.
    }
  }
}

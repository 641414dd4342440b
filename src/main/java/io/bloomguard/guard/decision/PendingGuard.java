package io.bloomguard.guard.decision;

import io.bloomguard.guard.BatchLoader;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.KeyWrites;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.Outcome;
import io.bloomguard.guard.PendingWrites;
import io.bloomguard.guard.Place;
import io.bloomguard.guard.Trial;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.load.LoadStages;
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
import org.jspecify.annotations.Nullable;

/**
 * The guard of a filter whose keys the calling thread may be writing. Only the thread's own loads
 * can find rows that are not written yet, so they bypass filter and cache and store nothing.
 */
final class PendingGuard<V> implements BloomGuard<V> {

  private final BloomGuard<V> guard;
  private final KeyDecisions<V> decisions;
  private final PendingWrites writes;

  /**
   * @param guard the guard of keys that are written
   */
  PendingGuard(BloomGuard<V> guard, KeyDecisions<V> decisions, PendingWrites writes) {
    this.guard = guard;
    this.decisions = decisions;
    this.writes = writes;
  }

  @Override
  public String filter() {
    return guard.filter();
  }

  @Override
  public KeyWrites writes() {
    return guard.writes();
  }

  private boolean pending() {
    return writes.remain(filter());
  }

  @Override
  public Membership check(Object key) {
    return pending() ? undecided(Collections.singletonList(key)) : guard.check(key);
  }

  @Override
  public List<Membership> checkAll(Collection<?> keys) {
    return pending() ? Collections.nCopies(keys.size(), undecided(keys)) : guard.checkAll(keys);
  }

  @Override
  public CompletionStage<Membership> checkAsync(Object key) {
    return pending()
        ? CompletableFuture.completedFuture(undecided(Collections.singletonList(key)))
        : guard.checkAsync(key);
  }

  @Override
  public CompletionStage<List<Membership>> checkAllAsync(Collection<?> keys) {
    return pending()
        ? CompletableFuture.completedFuture(checkAll(keys))
        : guard.checkAllAsync(keys);
  }

  @Override
  public boolean admit(Object key) {
    return pending()
        ? undecided(Collections.singletonList(key)) != Membership.ABSENT
        : guard.admit(key);
  }

  @Override
  public boolean admit(
      Object key, @Nullable Consumer<? super Trial> onTrial, Consumer<? super Place> onPlace) {
    return pending()
        ? undecided(Collections.singletonList(key)) != Membership.ABSENT
        : guard.admit(key, onTrial, onPlace);
  }

  @Override
  public int reportFound(Collection<?> keys) {
    return guard.reportFound(keys);
  }

  private Membership undecided(Collection<?> keys) {
    decisions.canonical(keys);
    decisions.record(Outcome.BYPASSED, keys.size());
    return Membership.UNKNOWN;
  }

  @Override
  public <K> Admission<K> enter(Collection<K> keys) {
    if (!pending()) {
      return guard.enter(keys);
    }
    List<K> asked = new ArrayList<>(keys);
    decisions.canonical(asked);
    Place place = decisions.place(true, asked.size());
    decisions.record(Outcome.BYPASSED, asked.size());
    return new BulkheadAdmission<>(asked, place);
  }

  /** Only this thread finds its pending writes, so the wait is on this thread. */
  @Override
  public <K> CompletableFuture<Admission<K>> enterAsync(Collection<K> keys) {
    return pending() ? CompletableFuture.completedFuture(enter(keys)) : guard.enterAsync(keys);
  }

  @Override
  public <K> CompletableFuture<Admission<K>> enterAsync(K key, Consumer<? super Trial> onTrial) {
    return pending()
        ? CompletableFuture.completedFuture(enter(Collections.singletonList(key)))
        : guard.enterAsync(key, onTrial);
  }

  @Override
  public <X extends Throwable> @Nullable V call(Object key, ValueLoader<V, X> loader) throws X {
    return pending() ? load(Collections.singletonList(key), loader) : guard.call(key, loader);
  }

  @Override
  public <X extends Throwable> @Nullable V get(Object key, ValueLoader<V, X> loader) throws X {
    return pending() ? load(Collections.singletonList(key), loader) : guard.get(key, loader);
  }

  @Override
  public <K, X extends Throwable> Map<K, V> getAll(Collection<K> keys, BatchLoader<K, V, X> loader)
      throws X {
    if (!pending()) {
      return guard.getAll(keys, loader);
    }
    Set<K> asked = new LinkedHashSet<>(keys);
    if (asked.isEmpty()) {
      return Map.of();
    }
    ValueLoader<Map<K, V>, X> all = () -> loader.load(asked);
    return FoundValues.of(asked, load(asked, all));
  }

  /** Begun on the calling thread, since only its loads find its pending writes. */
  @Override
  public <K> CompletionStage<Map<K, V>> getAllAsync(
      Collection<K> keys, Function<? super Set<K>, ? extends CompletionStage<Map<K, V>>> loader) {
    if (!pending()) {
      return guard.getAllAsync(keys, loader);
    }
    Set<K> asked = new LinkedHashSet<>(keys);
    return asked.isEmpty()
        ? CompletableFuture.completedFuture(Map.of())
        : this.<Map<K, V>>begun(asked, () -> loader.apply(asked))
            .thenApply(values -> FoundValues.of(asked, values));
  }

  /** Loads on the calling thread, through the bulkhead like every load. */
  private <T, X extends Throwable> @Nullable T load(Collection<?> keys, ValueLoader<T, X> loader)
      throws X {
    decisions.canonical(keys);
    Place place = decisions.place(true, keys.size());
    Outcome outcome = Outcome.ERROR;
    try (place;
        Place.Scope scope = Place.enter(place)) {
      T value = decisions.steps.timed(loader, decisions.filter.listener());
      outcome = Outcome.BYPASSED;
      return value;
    } finally {
      decisions.record(outcome, keys.size());
    }
  }

  @Override
  public CompletionStage<@Nullable V> getAsync(
      Object key, Supplier<? extends CompletionStage<? extends @Nullable V>> loader) {
    if (!pending()) {
      return guard.getAsync(key, loader);
    }
    return begun(Collections.singletonList(key), loader);
  }

  private <T> CompletionStage<@Nullable T> begun(
      Collection<?> keys, Supplier<? extends CompletionStage<? extends @Nullable T>> loader) {
    decisions.canonical(keys);
    Place place = decisions.place(true, keys.size());
    return LoadStages.<T>forCaller(
        LoadStages.<T>begin(loader, place)
            .whenComplete(
                (value, failure) -> {
                  place.close();
                  decisions.record(failure == null ? Outcome.BYPASSED : Outcome.ERROR, keys.size());
                }));
  }
}

package io.bloomguard.guard.decision;

import io.bloomguard.guard.BatchLoader;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.KeyWrites;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.Place;
import io.bloomguard.guard.Trial;
import io.bloomguard.guard.ValueLoader;
import io.bloomguard.guard.load.LoadStages;
import java.util.Collection;
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
 * The guard of one subject's filter. It keeps no values, because their key would not name the
 * subject, so each caller loads for itself.
 */
final class SubjectGuard implements BloomGuard<Object> {

  private final BloomGuard<Object> guard;

  /**
   * @param guard the guard of the filter, of which no method that keeps values is called
   */
  SubjectGuard(BloomGuard<Object> guard) {
    this.guard = guard;
  }

  @Override
  public String filter() {
    return guard.filter();
  }

  @Override
  public KeyWrites writes() {
    return guard.writes();
  }

  @Override
  public Membership check(Object key) {
    return guard.check(key);
  }

  @Override
  public List<Membership> checkAll(Collection<?> keys) {
    return guard.checkAll(keys);
  }

  @Override
  public CompletionStage<Membership> checkAsync(Object key) {
    return guard.checkAsync(key);
  }

  @Override
  public CompletionStage<List<Membership>> checkAllAsync(Collection<?> keys) {
    return guard.checkAllAsync(keys);
  }

  @Override
  public boolean admit(Object key) {
    return guard.admit(key);
  }

  @Override
  public boolean admit(
      Object key, @Nullable Consumer<? super Trial> onTrial, Consumer<? super Place> onPlace) {
    return guard.admit(key, onTrial, onPlace);
  }

  @Override
  public int reportFound(Collection<?> keys) {
    return guard.reportFound(keys);
  }

  @Override
  public <K> Admission<K> enter(Collection<K> keys) {
    return guard.enter(keys);
  }

  @Override
  public <K> CompletableFuture<Admission<K>> enterAsync(Collection<K> keys) {
    return guard.enterAsync(keys);
  }

  @Override
  public <K> CompletableFuture<Admission<K>> enterAsync(K key, Consumer<? super Trial> onTrial) {
    return guard.enterAsync(key, onTrial);
  }

  @Override
  public <X extends Throwable> @Nullable Object call(Object key, ValueLoader<Object, X> loader)
      throws X {
    return guard.call(key, loader);
  }

  @Override
  public <X extends Throwable> @Nullable Object get(Object key, ValueLoader<Object, X> loader)
      throws X {
    return guard.call(key, loader);
  }

  @Override
  public <K, X extends Throwable> Map<K, Object> getAll(
      Collection<K> keys, BatchLoader<K, Object, X> loader) throws X {
    try (Admission<K> admitted = guard.enter(keys);
        Place.Scope scope = admitted.enter()) {
      Set<K> asked = new LinkedHashSet<>(admitted.keys());
      return FoundValues.of(asked, asked.isEmpty() ? null : loader.load(asked));
    }
  }

  @Override
  public <K> CompletionStage<Map<K, Object>> getAllAsync(
      Collection<K> keys,
      Function<? super Set<K>, ? extends CompletionStage<Map<K, Object>>> loader) {
    return guard
        .enterAsync(keys)
        .thenCompose(
            admitted -> {
              Set<K> asked = new LinkedHashSet<>(admitted.keys());
              CompletionStage<@Nullable Map<K, Object>> loaded;
              try (Place.Scope scope = admitted.enter()) {
                loaded =
                    asked.isEmpty()
                        ? CompletableFuture.completedFuture(null)
                        : LoadStages.<Map<K, Object>>begin(
                                () -> loader.apply(asked), Place.current())
                            .thenApply(values -> values);
              }
              return loaded
                  .thenApply(values -> FoundValues.of(asked, values))
                  .whenComplete((values, failure) -> admitted.close());
            })
        .thenApply(values -> values); // as LoadStages.forCaller
  }

  @Override
  public CompletionStage<@Nullable Object> getAsync(
      Object key, Supplier<? extends CompletionStage<? extends @Nullable Object>> loader) {
    return LoadStages.<Object>forCaller(
        guard
            .enterAsync(key, trial -> {})
            .<@Nullable Object>thenCompose(
                admitted ->
                    (admitted.keys().isEmpty()
                            ? CompletableFuture.<@Nullable Object>completedFuture(null)
                            : begun(admitted, loader))
                        .whenComplete((value, failure) -> admitted.close())));
  }

  private static CompletionStage<@Nullable Object> begun(
      Admission<?> admitted,
      Supplier<? extends CompletionStage<? extends @Nullable Object>> loader) {
    try (Place.Scope scope = admitted.enter()) {
      return LoadStages.<Object>begin(loader, Place.current()).thenApply(value -> value);
    }
  }
}

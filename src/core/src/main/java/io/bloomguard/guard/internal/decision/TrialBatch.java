package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.BatchLoader;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.internal.Place;
import io.bloomguard.guard.internal.load.CacheLoads;
import io.bloomguard.guard.internal.load.TrialPlaces;
import io.bloomguard.guard.internal.verify.Trial;
import io.bloomguard.guard.internal.verify.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The rejected keys of one batch. The tried keys are loaded together, before the other keys of the
 * batch and in one place of the bulkhead.
 */
final class TrialBatch<V> implements AutoCloseable {

  private final Trials<V> trials;
  private final KeyDecisions<V> decisions;
  private final CacheLoads steps;
  private final long began = System.nanoTime();

  /** The trials by canonical key. */
  private final Map<String, Trial> tried = new LinkedHashMap<>();

  private @Nullable Place place;

  TrialBatch(Trials<V> trials, KeyDecisions<V> decisions) {
    this.trials = trials;
    this.decisions = decisions;
    this.steps = decisions.steps;
  }

  /** Takes a rejected key that may be tried; false if there is no place for its trial. */
  boolean takes(String key, Verdict verdict) {
    Trial trial;
    if (verdict == Verdict.WITHIN_TRIAL) {
      trial = trials.within(key);
    } else {
      TrialPlaces places = places(key);
      trial = trials.begin(key, place, places);
    }
    if (trial != null) {
      tried.put(key, trial);
    }
    return trial != null;
  }

  private @Nullable TrialPlaces places(String key) {
    // The first lease must not end before the load.
    if (System.nanoTime() - began >= steps.queueing(true, began) / 2) {
      return null;
    }
    if (place == null) {
      place = steps.bulkhead().tryEnterTrial();
    }
    return place == null ? null : TrialPlaces.tryTakeKey(steps, key, place);
  }

  /**
   * Loads the tried keys.
   *
   * @param spelling the caller's form of a key
   * @param found gets the values
   */
  <K, X extends Throwable> void load(
      BatchLoader<K, V, X> loader, Function<String, K> spelling, BiConsumer<String, V> found)
      throws X {
    if (tried.isEmpty()) {
      // The next load needs its own place, and may wait for a caller that waits for this place.
      leave();
      return;
    }
    Map<String, K> asked = new LinkedHashMap<>();
    tried.keySet().forEach(key -> asked.put(key, spelling.apply(key)));
    Map<K, V> loaded = loaded(asked, loader);
    asked.forEach(
        (key, spelled) -> {
          V value = loaded == null ? null : loaded.get(spelled);
          Trial trial = Objects.requireNonNull(tried.remove(key));
          if (value != null && !tried.isEmpty()) {
            trials.endWithoutWait(trial, value, null); // One wait for all, at the last.
          } else {
            trials.end(trial, value, null);
          }
          if (value != null) {
            found.accept(key, value);
          }
        });
  }

  private <K, X extends Throwable> @Nullable Map<K, V> loaded(
      Map<String, K> asked, BatchLoader<K, V, X> loader) throws X {
    List<Scope> scopes = new ArrayList<>();
    try {
      for (Trial trial : tried.values()) {
        scopes.add(0, trial.enter());
      }
      return steps.timed(
          () -> loader.load(new LinkedHashSet<>(asked.values())), decisions.filter.listener());
    } finally {
      scopes.forEach(Scope::close);
      leave();
    }
  }

  private void leave() {
    if (place != null) {
      place.close();
      place = null;
    }
  }

  /** A key that was not loaded has failed. */
  @Override
  public void close() {
    tried.values().forEach(Trial::close);
    leave();
  }
}

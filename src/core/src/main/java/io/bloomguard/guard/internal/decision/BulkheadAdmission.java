package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Trial;
import io.bloomguard.guard.internal.EntryGuard.Admission;
import io.bloomguard.guard.internal.Place;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keys that passed, with or without a place in the bulkhead.
 *
 * @param place null for none, and for a trial, which has its own
 * @param trial null unless the key is under trial
 */
record BulkheadAdmission<K>(List<K> keys, @Nullable Place place, @Nullable Trial trial)
    implements Admission<K> {

  BulkheadAdmission(List<K> keys, @Nullable Place place) {
    this(keys, place, null);
  }

  /**
   * The admission that follows a place; a caller that cancels it gives the place up.
   *
   * @param refused gets the reason why no place has come
   */
  static <K> CompletableFuture<Admission<K>> later(
      CompletableFuture<Place> place,
      Function<Place, Admission<K>> admitted,
      Consumer<Throwable> refused) {
    CompletableFuture<Admission<K>> admission = new CompletableFuture<>();
    place.whenComplete(
        (taken, failure) -> {
          if (failure != null) {
            refused.accept(failure);
            admission.completeExceptionally(failure);
            return;
          }
          Admission<K> come = admitted.apply(taken);
          if (!admission.complete(come)) {
            come.close();
          }
        });
    admission.whenComplete((come, failure) -> place.cancel(false));
    return admission;
  }

  @Override
  public Scope enter() {
    return trial == null ? Place.enter(place) : trial.enter();
  }

  @Override
  public void close() {
    if (place != null) {
      place.close();
    }
    if (trial != null) {
      trial.close();
    }
  }
}

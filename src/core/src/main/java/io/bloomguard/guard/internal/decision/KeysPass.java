package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.Finding;
import io.bloomguard.guard.Scope;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.guard.internal.Place;
import io.bloomguard.guard.internal.verify.Trial;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keys that go on, in a place or under a trial.
 *
 * @param ask the question of these keys
 * @param place null for none, and for a trial, which has its own
 * @param trial null unless the key is under trial
 */
record KeysPass<K>(Ask<K> ask, @Nullable Place place, @Nullable Trial trial) implements Pass<K> {

  private static final Pass<?> NONE = new KeysPass<>(Ask.toLoadAll(List.of()), null, null);
  private static final CompletableFuture<?> NONE_COME = CompletableFuture.completedFuture(NONE);

  /** That of no key, which has ended and is one for all: most keys of an attack get it. */
  @SuppressWarnings("unchecked") // without a key
  static <K> Pass<K> none() {
    return (Pass<K>) NONE;
  }

  /** A pass that is there, as the answer to a caller that must not wait. */
  @SuppressWarnings("unchecked") // without a key
  static <K> CompletableFuture<Pass<K>> come(Pass<K> pass) {
    return pass == NONE
        ? (CompletableFuture<Pass<K>>) (CompletableFuture<?>) NONE_COME
        : CompletableFuture.completedFuture(pass);
  }

  /**
   * The pass that follows a place; a caller that cancels it gives the place up.
   *
   * @param refused gets the reason why no place has come
   */
  static <K> CompletableFuture<Pass<K>> later(
      CompletableFuture<Place> place,
      Function<Place, Pass<K>> passed,
      Consumer<Throwable> refused) {
    CompletableFuture<Pass<K>> pass = new CompletableFuture<>();
    place.whenComplete(
        (taken, failure) -> {
          if (failure != null) {
            refused.accept(failure);
            pass.completeExceptionally(failure);
            return;
          }
          Pass<K> come = passed.apply(taken);
          if (!pass.complete(come)) {
            come.close();
          }
        });
    pass.whenComplete((come, failure) -> place.cancel(false));
    return pass;
  }

  @Override
  public List<K> keys() {
    return ask.keys();
  }

  @Override
  public boolean isEmpty() {
    return !ask.isSingle() && ask.keys().isEmpty();
  }

  @Override
  public boolean isTrial() {
    return trial != null;
  }

  @Override
  public boolean isHeld() {
    return trial != null || place != null;
  }

  @Override
  public Scope enter() {
    return trial == null ? Place.enter(place) : trial.enter();
  }

  @Override
  public void end(Finding found) {
    if (place != null) {
      place.close();
    }
    if (trial != null) {
      trial.end(found, false);
    }
  }
}

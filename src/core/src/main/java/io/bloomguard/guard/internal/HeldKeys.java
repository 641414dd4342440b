package io.bloomguard.guard.internal;

import io.bloomguard.guard.Finding;
import io.bloomguard.guard.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The trials among the keys of one call, and the places that they and the other keys hold.
 *
 * @param <K> the type of the keys
 * @param trials those of the keys that are tried
 * @param places given back with them
 */
public record HeldKeys<K>(List<Map.Entry<K, Held>> trials, List<? extends Held> places)
    implements Held {

  /**
   * {@return these beside a place of the other keys}
   *
   * @param place null for none
   */
  public HeldKeys<K> beside(@Nullable Held place) {
    return place == null
        ? this
        : new HeldKeys<>(trials, Stream.concat(Stream.of(place), places.stream()).toList());
  }

  @Override
  public Scope enter() {
    List<Scope> scopes = new ArrayList<>();
    places.forEach(place -> scopes.add(0, place.enter()));
    trials.forEach(trial -> scopes.add(0, trial.getValue().enter()));
    return () -> scopes.forEach(Scope::close);
  }

  @Override
  public void end(Finding found) {
    end(key -> found);
  }

  /** Ends each trial by what was found for its key. */
  void end(Function<? super K, Finding> found) {
    trials.forEach(trial -> trial.getValue().end(found.apply(trial.getKey())));
    places.forEach(Held::close);
  }
}

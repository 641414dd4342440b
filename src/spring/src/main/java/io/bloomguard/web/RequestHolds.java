package io.bloomguard.web;

import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Trial;
import io.bloomguard.guard.internal.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.springframework.http.HttpStatus;

/**
 * The holdings of one request until it is complete: a place in the bulkhead while a filter cannot
 * tell, and the trials of rejected keys that go to the handler.
 *
 * <p>A trial learns from the answer whether its key exists: 200 means that it does and 404 that it
 * does not; every other answer, and a failure, is no verdict.
 */
final class RequestHolds {

  private final List<Trial> trials = new ArrayList<>(1);
  private final List<Place> places = new ArrayList<>(1);
  private boolean over;

  void add(Trial trial) {
    if (!hold(trials, trial)) {
      trial.close();
    }
  }

  void add(Place place) {
    if (!hold(places, place)) {
      place.close();
    }
  }

  /** False if the request is over, as it may be for a client that has gone meanwhile. */
  private synchronized <T> boolean hold(List<T> held, T one) {
    return !over && held.add(one);
  }

  boolean nothing() {
    return trials.isEmpty() && places.isEmpty();
  }

  boolean hasPlace() {
    return !places.isEmpty();
  }

  /** Makes the innermost place that of the thread: guarded calls there take no second one. */
  Scope enterPlace() {
    return places.isEmpty() ? Scope.NONE : Place.enter(places.get(places.size() - 1));
  }

  /** Makes place and trials those of the thread. */
  Scope enter() {
    Scope placed = enterPlace();
    List<Scope> entered = trials.stream().map(Trial::enter).toList();
    return () -> {
      for (int i = entered.size() - 1; i >= 0; i--) {
        entered.get(i).close();
      }
      placed.close();
    };
  }

  /** Ends the trials by the status of the answer. A trial ends once; later reports do nothing. */
  void judge(int status) {
    if (status == HttpStatus.OK.value()) {
      endTrials(Trial::found);
    } else if (status == HttpStatus.NOT_FOUND.value()) {
      endTrials(Trial::absent);
    }
  }

  /** Ends the trials without a verdict. */
  void leaveOpen() {
    endTrials(Trial::close);
  }

  private void endTrials(Consumer<Trial> end) {
    trials.forEach(end);
  }

  /** Ends all holdings, without a verdict on trials that have none yet. */
  void giveUp() {
    synchronized (this) {
      over = true;
    }
    leaveOpen();
    places.forEach(Place::close);
  }
}

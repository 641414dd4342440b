package io.bloomguard.web;

import io.bloomguard.guard.Scope;
import io.bloomguard.guard.Trial;
import io.bloomguard.guard.internal.Place;
import java.util.ArrayList;
import java.util.List;

/**
 * The holdings of one request until it is complete: a place in the bulkhead while a filter cannot
 * tell, and the trials of rejected keys that go to the handler.
 *
 * <p>A trial learns from the answer whether its key exists: its rule has the statuses that tell so,
 * by default 200 and 404; every other answer, and a failure, is no verdict.
 */
final class RequestHolds {

  private final List<RuledTrial> trials = new ArrayList<>(1);
  private final List<Place> places = new ArrayList<>(1);
  private boolean over;

  /** A trial, and the rule that reads its answer. */
  private record RuledTrial(Trial trial, WebRule rule) {

    void judge(int status) {
      if (rule.found().contains(status)) {
        trial.found();
      } else if (rule.absent().contains(status)) {
        trial.absent();
      }
    }
  }

  void add(Trial trial, WebRule rule) {
    if (!hold(trials, new RuledTrial(trial, rule))) {
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
    List<Scope> entered = trials.stream().map(ruled -> ruled.trial().enter()).toList();
    return () -> {
      for (int i = entered.size() - 1; i >= 0; i--) {
        entered.get(i).close();
      }
      placed.close();
    };
  }

  /** Ends the trials by the status of the answer. A trial ends once; later reports do nothing. */
  void judge(int status) {
    trials.forEach(ruled -> ruled.judge(status));
  }

  /** Ends the trials without a verdict. */
  void leaveOpen() {
    trials.forEach(ruled -> ruled.trial().close());
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

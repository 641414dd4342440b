package io.bloomguard.guard;

import java.util.concurrent.atomic.AtomicReference;

/** The enforcement of a filter that no other process shares; it ends with this process. */
public final class LocalEnforcement implements Enforcement {

  private final AtomicReference<State> state =
      new AtomicReference<>(new State(Standing.INITIAL, 0));

  /** The enforcement of a filter that rejects in its configured mode. */
  public LocalEnforcement() {}

  /**
   * @param wrong the last generation known to have rejected wrongly; 0 for none
   */
  private record State(Standing standing, long wrong) {

    State disarmed(boolean now) {
      return new State(standing.disarmed(now), wrong);
    }
  }

  @Override
  public Standing standing() {
    return state.get().standing();
  }

  @Override
  public void disarm(long generation) {
    state.updateAndGet(
        now ->
            new State(now.standing().disarmed(true), generation == 0 ? now.wrong() : generation));
  }

  @Override
  public void arm() {
    state.updateAndGet(now -> now.disarmed(false));
  }

  @Override
  public boolean armFor(long generation) {
    return !state
        .updateAndGet(now -> now.wrong() == generation ? now : now.disarmed(false))
        .standing()
        .disarmed();
  }

  @Override
  public void mode(FilterMode mode) {
    state.updateAndGet(now -> new State(now.standing().in(mode), now.wrong()));
  }
}

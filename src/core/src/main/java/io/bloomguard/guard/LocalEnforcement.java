package io.bloomguard.guard;

import java.util.concurrent.atomic.AtomicReference;

/** The enforcement of a filter that no other process shares; it ends with this process. */
public final class LocalEnforcement implements Enforcement {

  private final AtomicReference<State> state =
      new AtomicReference<>(new State(Standing.INITIAL, Proof.NONE));

  /** The enforcement of a filter that rejects in its configured mode. */
  public LocalEnforcement() {}

  private record State(Standing standing, Proof proof) {

    State disarmed(boolean now) {
      return new State(standing.disarmed(now), proof);
    }
  }

  @Override
  public Standing standing() {
    return state.get().standing();
  }

  @Override
  public boolean outlivesProcess() {
    return false;
  }

  @Override
  public Proof proof() {
    return state.get().proof();
  }

  @Override
  public void disarm(long generation) {
    disarm(generation, "");
  }

  @Override
  public void disarm(long generation, String keyHash) {
    state.updateAndGet(
        now -> new State(now.standing().disarmed(true), now.proof().with(generation, keyHash)));
  }

  @Override
  public void arm() {
    arm(false);
  }

  @Override
  public void arm(boolean repaired) {
    state.updateAndGet(
        now -> new State(now.standing().disarmed(false), repaired ? Proof.NONE : now.proof()));
  }

  @Override
  public boolean armFor(long generation) {
    return !state
        .updateAndGet(now -> now.proof().generation() == generation ? now : now.disarmed(false))
        .standing()
        .disarmed();
  }

  @Override
  public void mode(FilterMode mode) {
    state.updateAndGet(now -> new State(now.standing().in(mode), now.proof()));
  }
}

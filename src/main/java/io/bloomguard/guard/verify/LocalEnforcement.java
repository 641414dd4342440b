package io.bloomguard.guard.verify;

import java.util.concurrent.atomic.AtomicReference;

/** The enforcement of a filter that no other process shares; forgotten with this process. */
public final class LocalEnforcement implements Enforcement {

  private final AtomicReference<Standing> standing = new AtomicReference<>(Standing.INITIAL);

  @Override
  public Standing standing() {
    return standing.get();
  }

  @Override
  public void disarm() {
    standing.updateAndGet(now -> now.disarmed(true));
  }

  @Override
  public void arm() {
    standing.updateAndGet(now -> now.disarmed(false));
  }

  @Override
  public void mode(FilterMode mode) {
    standing.updateAndGet(now -> now.in(mode));
  }
}

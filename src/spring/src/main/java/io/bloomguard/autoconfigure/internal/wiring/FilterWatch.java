package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.guard.DeniedKeyListener;
import io.bloomguard.guard.internal.GuardedFilter;

/** Keeps an eye on the traffic of every filter; the console provides one where it is enabled. */
public interface FilterWatch {

  FilterWatch NONE = new FilterWatch() {};

  /** The listener to keys that the filter of that name denies. */
  default DeniedKeyListener deniedKeys(String filter) {
    return DeniedKeyListener.NONE;
  }

  /** About a second has passed. Returns at once. */
  default void tick(GuardedFilter filter) {}
}

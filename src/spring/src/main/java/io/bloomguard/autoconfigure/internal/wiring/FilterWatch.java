package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.guard.DeniedKeyListener;
import io.bloomguard.guard.internal.GuardedFilter;

/** Keeps an eye on the traffic of every filter; the console provides one where it is enabled. */
public interface FilterWatch {

  FilterWatch NONE =
      new FilterWatch() {
        @Override
        public DeniedKeyListener deniedKeys(String filter) {
          return DeniedKeyListener.NONE;
        }

        @Override
        public void tick(GuardedFilter filter) {}
      };

  /** The listener to keys that the filter of that name denies. */
  DeniedKeyListener deniedKeys(String filter);

  /** About a second has passed. Returns at once. */
  void tick(GuardedFilter filter);
}

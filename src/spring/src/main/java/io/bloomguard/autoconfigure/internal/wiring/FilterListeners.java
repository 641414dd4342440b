package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.generation.internal.build.RebuildListener;
import io.bloomguard.guard.internal.GuardListener;

/** Makes the listeners of each filter; the meters provide one where Micrometer is present. */
public interface FilterListeners {

  FilterListeners NONE = new FilterListeners() {};

  default GuardListener guardListener(String filter) {
    return GuardListener.NONE;
  }

  default RebuildListener rebuildListener(String filter) {
    return RebuildListener.NONE;
  }
}

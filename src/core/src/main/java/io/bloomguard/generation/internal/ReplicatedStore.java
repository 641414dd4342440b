package io.bloomguard.generation.internal;

import io.bloomguard.generation.GenerationStore;

/** A store that may keep a copy of its filter in this process, which follows the shared one. */
public interface ReplicatedStore extends GenerationStore {

  /**
   * {@return the lag of the copy, in seconds: the time since it was last known to lack nothing} NaN
   * if there is no copy.
   */
  double replicaLagSeconds();

  /** {@return whether the copy may call keys absent that the filter has had for a while} */
  boolean mayBeBehind();
}

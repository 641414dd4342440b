package io.bloomguard.generation;

import java.util.Optional;

/** One configured filter with its store, its source and its rebuilds. */
public final class ManagedFilter {

  /** The filter's name. */
  public String name() {
    throw new UnsupportedOperationException();
  }

  /** Where the bits live. */
  public GenerationStore store() {
    throw new UnsupportedOperationException();
  }

  /** The filter as it stands, {@code WARMING} and {@code FAILED} included. */
  public FilterStatus status() {
    throw new UnsupportedOperationException();
  }

  /** How far the running build has come. */
  public RebuildProgress progress() {
    throw new UnsupportedOperationException();
  }

  /** The last build that ended in this process. */
  public Optional<RebuildReport> lastRebuild() {
    throw new UnsupportedOperationException();
  }

  /** The last build that succeeded in this process. */
  public Optional<RebuildReport> lastSuccess() {
    throw new UnsupportedOperationException();
  }

  /**
   * Starts a rebuild in the background and returns its run identifier.
   *
   * @throws RebuildRefusedException if one runs, there is no source, or an operator's last request
   *     is within the cooldown
   */
  public String requestRebuild(RebuildTrigger trigger) {
    throw new UnsupportedOperationException();
  }

  /** Cancels the rebuild that runs in this process; false where none does. */
  public boolean cancelRebuild() {
    throw new UnsupportedOperationException();
  }
}

package io.bloomguard.generation;

/** How a build ended. */
public enum RebuildOutcome {
  SUCCEEDED,
  FAILED,
  CANCELLED
}

package io.bloomguard.generation;

/** The outcome of a build. */
public enum RebuildOutcome {
  SUCCEEDED,
  FAILED,
  CANCELLED
}

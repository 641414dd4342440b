package io.bloomguard.generation;

/** The outcome of a build. */
public enum RebuildOutcome {
  /** The new generation was published. */
  SUCCEEDED,
  /** A fault ended the build; the generation before it serves on. */
  FAILED,
  /** The build was cancelled, before its publication; the generation before it serves on. */
  CANCELLED
}

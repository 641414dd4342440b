package io.bloomguard.generation.internal;

/** The way in which a filter with a source gets its first generation. */
public enum WarmUpMode {
  /** The build runs while the application already runs; until its end the filter cannot tell. */
  BACKGROUND,
  /** The start of the application waits for the build, and fails if the build fails. */
  BLOCKING,
  /** No build until a rebuild is requested. */
  NONE
}

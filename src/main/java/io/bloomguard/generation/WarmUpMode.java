package io.bloomguard.generation;

/** How a filter with a source gets its first generation. */
public enum WarmUpMode {
  /** Built while the application already runs; until then the filter cannot tell. */
  BACKGROUND,
  /** Built before the application has started, which fails if the build does. */
  BLOCKING,
  /** Not built until a rebuild is asked for. */
  NONE
}

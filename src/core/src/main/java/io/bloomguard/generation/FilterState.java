package io.bloomguard.generation;

import java.util.Locale;

/** The state of a filter. Only {@link #READY} ever answers absent. */
public enum FilterState {

  /** No generation serves and none is being built. */
  EMPTY,
  /**
   * No generation serves yet, or only a snapshot that must not deny; the first generation is being
   * built.
   */
  WARMING,
  /** A generation serves. */
  READY,
  /** The serving generation is missing, damaged, foreign or out of reach, or may lack keys. */
  DOUBTFUL,
  /** No generation serves because the last build failed. */
  FAILED,
  /** A generation serves, but rejects nothing, because one of its rejections was wrong. */
  DISARMED;

  private final String tag = name().toLowerCase(Locale.ROOT);

  /** {@return the value of the meter's {@code state} tag} */
  public String tag() {
    return tag;
  }
}

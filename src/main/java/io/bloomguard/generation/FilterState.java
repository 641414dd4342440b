package io.bloomguard.generation;

import java.util.Locale;

/** The state of a filter. Only {@link #READY} ever answers absent. */
public enum FilterState {

  /** Nothing serves and nothing is being built. */
  EMPTY,
  /** Nothing serves yet, or a snapshot that must not deny; the first generation is being built. */
  WARMING,
  /** A generation serves. */
  READY,
  /** The serving generation is missing, damaged, foreign or out of reach, or may lack keys. */
  DOUBTFUL,
  /** Nothing serves because the last build failed. */
  FAILED,
  /** A generation serves, but rejects nothing, because one of its rejections was wrong. */
  DISARMED;

  private final String tag = name().toLowerCase(Locale.ROOT);

  /** The value of the meter's {@code state} tag. */
  public String tag() {
    return tag;
  }
}

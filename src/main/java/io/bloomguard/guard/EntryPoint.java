package io.bloomguard.guard;

import java.util.Locale;

/** The entry point of a key. Outcomes are counted separately for each entry point. */
public enum EntryPoint {
  METHOD,
  WEB,
  API;

  private final String tag = name().toLowerCase(Locale.ROOT);

  /** The value of the meter's {@code entry} tag. */
  public String tag() {
    return tag;
  }
}

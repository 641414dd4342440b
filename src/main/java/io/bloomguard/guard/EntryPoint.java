package io.bloomguard.guard;

import java.util.Locale;

/** Where a key entered. Outcomes are counted apart for each entry. */
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

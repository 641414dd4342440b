package io.bloomguard.guard.internal;

import java.util.Locale;

/** The keys that a filter's guard rejects. */
public enum Reject {

  /** Keys that the filter does not hold: the filter holds all keys that exist. */
  ABSENT,

  /** Keys that the filter holds: the filter is a blacklist. */
  PRESENT;

  private final String tag = name().toLowerCase(Locale.ROOT);

  /** {@return the name as settings and the endpoint spell it} */
  public String tag() {
    return tag;
  }
}

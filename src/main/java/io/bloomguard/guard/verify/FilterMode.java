package io.bloomguard.guard.verify;

import java.util.Locale;

/** The treatment of a key that a filter calls absent. */
public enum FilterMode {

  /** It is rejected. */
  ENFORCE,
  /** It is counted as rejected, and goes on. */
  OBSERVE;

  private final String tag = name().toLowerCase(Locale.ROOT);

  /** The name as settings, actions and the endpoint spell it. */
  public String tag() {
    return tag;
  }
}

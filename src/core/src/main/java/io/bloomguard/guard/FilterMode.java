package io.bloomguard.guard;

import java.util.Locale;

/** The treatment of a key that a filter calls absent. */
public enum FilterMode {

  /** The key is rejected. */
  ENFORCE,
  /** The key is counted as rejected, and passes. */
  OBSERVE;

  private final String tag = name().toLowerCase(Locale.ROOT);

  /** {@return the name as settings, actions and the endpoint spell it} */
  public String tag() {
    return tag;
  }
}

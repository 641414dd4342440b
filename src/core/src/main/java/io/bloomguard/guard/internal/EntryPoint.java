package io.bloomguard.guard.internal;

import io.bloomguard.guard.BloomGuard;
import java.util.Locale;

/** The entry point of a key. Outcomes are counted separately for each entry point. */
public enum EntryPoint {
  /** An annotated method, or a call of {@link BloomGuard}. */
  METHOD,
  /** A path rule. */
  WEB,
  /** The membership API of the server. */
  API;

  private final String tag = name().toLowerCase(Locale.ROOT);

  /** {@return the value of the meter's {@code entry} tag} */
  public String tag() {
    return tag;
  }
}

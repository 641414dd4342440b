package io.bloomguard.guard.internal;

import java.util.Locale;

/** The end of one key's way. Exactly one is recorded for each key and entry point. */
public enum Outcome {

  /** The filter said absent. */
  REJECTED,
  /** The filter let the key pass, and the caller asked the guard for the decision only. */
  PASSED,
  /** The value cache held the value. */
  CACHE_HIT,
  /** The value cache held a null entry. */
  NULL_HIT,
  /** The load found a value. */
  LOADED,
  /** The filter passed the key and the load found nothing. */
  FALSE_POSITIVE,
  /** The filter could not tell and the request passed. */
  BYPASSED,
  /** Refused to protect the database: bulkhead full, wait over, or policy closed. */
  SHED,
  /** The key was invalid or the load failed. */
  ERROR;

  private final String tag = name().toLowerCase(Locale.ROOT);

  /** {@return the value of the meter's {@code outcome} tag} */
  public String tag() {
    return tag;
  }
}

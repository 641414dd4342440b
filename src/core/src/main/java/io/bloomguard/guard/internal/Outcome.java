package io.bloomguard.guard.internal;

import java.util.Locale;

/** The end of one key's way. Exactly one is recorded for each key and entry point. */
public enum Outcome {

  /** The filter called the key absent, or that of a blacklist held it. */
  REJECTED,
  /** The filter let the key pass, and the caller asked the guard for the decision only. */
  PASSED,
  /** The value cache held the value, or another caller loaded it at the same time. */
  CACHE_HIT,
  /** The value cache held a null entry. */
  NULL_HIT,
  /** The load found a value, or a trial did not show that there is none. */
  LOADED,
  /** The filter passed the key and the load found nothing. */
  FALSE_POSITIVE,
  /** The filter could not tell, and the request passed or wanted the decision only. */
  BYPASSED,
  /** Refused to protect the database: bulkhead full, wait over, or policy closed. */
  SHED,
  /** The key was invalid, the load failed, or the call was cancelled. */
  ERROR;

  private final String tag = name().toLowerCase(Locale.ROOT);

  /** {@return the value of the meter's {@code outcome} tag} */
  public String tag() {
    return tag;
  }
}

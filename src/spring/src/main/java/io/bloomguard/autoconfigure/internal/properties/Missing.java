package io.bloomguard.autoconfigure.internal.properties;

/** The answer for a key where Redis has no filter. */
public enum Missing {

  /** It is unknown, so it is not rejected. */
  UNKNOWN,

  /** It is not there, so it is rejected: also where what was there has been lost. */
  ABSENT
}

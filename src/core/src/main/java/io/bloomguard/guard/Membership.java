package io.bloomguard.guard;

/** A filter's answer for a key. */
public enum Membership {

  /** The key may exist. */
  POSSIBLY_PRESENT,

  /** The key does not exist. Only a filter that is certain of its own state gives this answer. */
  ABSENT,

  /** The filter cannot tell: it is not warmed, not reachable, or not what it should be. */
  UNKNOWN
}

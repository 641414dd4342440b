package io.bloomguard.guard.internal;

/** The policy for a key for which the filter cannot tell. */
public enum UnknownPolicy {

  /** The request continues, to the value cache and, through the bulkhead, to the load. */
  OPEN,

  /** The request is shed. */
  CLOSED
}

package io.bloomguard.guard;

/** What happens to a key that the filter cannot tell anything about. */
public enum UnknownPolicy {

  /** The request goes on, to the value cache and, through the bulkhead, to the load. */
  OPEN,

  /** The request is shed. */
  CLOSED
}

package io.bloomguard.bench;

/** What all keys of one run are. */
public enum KeyPresence {
  /** In the filter. */
  PRESENT,
  /** Not in the filter, though some pass. */
  ABSENT
}

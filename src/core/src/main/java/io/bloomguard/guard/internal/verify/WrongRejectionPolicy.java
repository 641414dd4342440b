package io.bloomguard.guard.internal.verify;

/** The consequence of a wrong rejection. */
public enum WrongRejectionPolicy {

  /** The rejection is counted, and the filter rejects nothing until an operator arms it again. */
  DISARM,
  /** The rejection is counted. */
  COUNT,
  /** Nothing; for reports only. */
  IGNORE
}

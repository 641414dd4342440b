package io.bloomguard.guard.verify;

/** The consequence of a wrong rejection. */
public enum WrongRejectionPolicy {

  /** It is counted, and the filter rejects nothing until an operator arms it again. */
  DISARM,
  /** It is counted. */
  COUNT,
  /** Nothing; for reports only. */
  IGNORE
}

package io.bloomguard.guard.verify;

/** What a wrong rejection leads to. */
public enum WrongRejectionPolicy {

  /** It is counted, and the filter rejects nothing until an operator arms it again. */
  DISARM,
  /** It is counted. */
  COUNT,
  /** Nothing; for reports only. */
  IGNORE
}

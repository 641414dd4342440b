package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.guard.internal.verify.WrongRejectionPolicy;

/**
 * The consequences of a wrong rejection that a trial has found; unlike a report, none is ignored.
 */
public enum OnWrongRejection {

  /** The rejection is counted, and the filter rejects nothing until an operator arms it again. */
  DISARM(WrongRejectionPolicy.DISARM),
  /** The rejection is counted. */
  COUNT(WrongRejectionPolicy.COUNT);

  private final WrongRejectionPolicy policy;

  OnWrongRejection(WrongRejectionPolicy policy) {
    this.policy = policy;
  }

  WrongRejectionPolicy policy() {
    return policy;
  }
}

package io.bloomguard.guard.internal.verify;

import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.load.Answer;

/** What becomes of a key, and the outcome that it counts as if its call does not fail. */
public enum Verdict {
  /** The key passes. */
  PASS(Outcome.PASSED, true),
  /** The key passes: the exact source refutes what the filter says. */
  REFUTED(Outcome.FALSE_POSITIVE, true),
  /** The filter cannot tell; the key passes. */
  DOUBT(Outcome.BYPASSED, true),
  /**
   * The calling thread may be writing the key, or its call has no scope: nothing but its own load
   * tells, or is kept.
   */
  PENDING(Outcome.BYPASSED, true),
  /** The filter cannot tell, and its policy refuses the call. */
  REFUSE(Outcome.BYPASSED, false),
  /** The guard is turned off. */
  OFF(Outcome.BYPASSED, true),
  /** The key is rejected. */
  REJECT(Outcome.REJECTED, false),
  /** The key would be rejected, but the filter is disarmed, or observes. */
  WOULD_REJECT(Outcome.REJECTED, true),
  /** The key is rejected, or goes to the load as a trial. */
  TRY(Outcome.REJECTED, false),
  /** The key goes to the load, since an outer {@link Trial} of it led here. */
  WITHIN_TRIAL(Outcome.REJECTED, false);

  private final Outcome outcome;
  private final boolean passes;

  Verdict(Outcome outcome, boolean passes) {
    this.outcome = outcome;
    this.passes = passes;
  }

  /** The outcome of a call that asks for the decision only. */
  public Outcome outcome() {
    return outcome;
  }

  /** The outcome of a call that got an answer from cache or load. */
  public Outcome outcome(Answer<?> answer) {
    return this == PASS ? answer.outcome() : outcome;
  }

  /** Whether the key passes by this verdict alone. */
  public boolean passes() {
    return passes;
  }

  /** Whether the load of a key that passes is one that the filter would have spared, or might. */
  public boolean isExtra() {
    return this == DOUBT || this == PENDING || this == WOULD_REJECT;
  }

  /** Whether the key goes on, or not, without a place or a trial. */
  public boolean holdsNothing() {
    return !isExtra() && !isTrial();
  }

  public boolean isTrial() {
    return this == TRY || this == WITHIN_TRIAL;
  }

  /** Whether the key counts as rejected. */
  public boolean isRejected() {
    return outcome == Outcome.REJECTED;
  }
}

package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.Membership;
import org.jspecify.annotations.Nullable;

/** Judges keys by the answers of a filter. */
interface Policy {

  /** That of calls whose keys cannot be told. */
  Policy UNDECIDED = always(Verdict.PENDING);

  /** That of guards which are turned off. */
  Policy OFF = always(Verdict.PASS);

  private static Policy always(Verdict verdict) {
    return new Policy() {
      @Override
      public Verdict unasked() {
        return verdict;
      }

      @Override
      public Verdict judge(Object asked, Membership answer, boolean tries) {
        return verdict;
      }

      @Override
      public Membership membership(Verdict any) {
        return Membership.UNKNOWN;
      }
    };
  }

  /**
   * The verdict on each key of the calling thread, whatever the filter would answer; null if that
   * is to be asked.
   */
  default @Nullable Verdict unasked() {
    return null;
  }

  /**
   * The verdict on a key.
   *
   * @param asked a number, or canonical text
   * @param answer the filter's answer for it
   * @param tries whether its caller learns whether the key exists, so that it may be a trial
   */
  Verdict judge(Object asked, Membership answer, boolean tries);

  /** The verdict on a key that was to be a trial, and is not. */
  default Verdict untried(Object asked) {
    return Verdict.REJECT;
  }

  /** What a check answers for a key. */
  Membership membership(Verdict verdict);
}

package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.Membership;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.verify.Verdict;
import org.jspecify.annotations.Nullable;

/** Judges keys by the answers of a filter. */
interface Policy {

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

  /** The verdict on a key for which a filter cannot tell. */
  static Verdict undecided(GuardedFilter filter) {
    return filter.onUnknown() == UnknownPolicy.CLOSED && filter.verification().enforces()
        ? Verdict.REFUSE
        : Verdict.DOUBT;
  }

  /** That of a guard which is turned off. */
  record Off() implements Policy {

    @Override
    public Verdict unasked() {
      return Verdict.OFF;
    }

    @Override
    public Verdict judge(Object asked, Membership answer, boolean tries) {
      return Verdict.OFF;
    }
  }

  /**
   * Rejects the keys that the filter of a blacklist holds. A key that passes takes no place in the
   * bulkhead, not even while the filter cannot tell: the same keys reach the same loader while it
   * can.
   */
  record Blacklist(GuardedFilter filter) implements Policy {

    @Override
    public Verdict judge(Object asked, Membership answer, boolean tries) {
      return switch (answer) {
        case ABSENT -> Verdict.PASS;
        case UNKNOWN -> undecided(filter);
        case POSSIBLY_PRESENT ->
            filter.verification().enforces() ? Verdict.REJECT : Verdict.WOULD_REJECT;
      };
    }
  }
}

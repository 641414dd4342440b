package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.Membership;
import io.bloomguard.guard.internal.GuardedFilter;

/**
 * Rejects the keys that the filter of a blacklist holds. A key that passes takes no place in the
 * bulkhead, not even while the filter cannot tell: the same keys reach the same loader while it
 * can.
 */
record BlacklistPolicy(GuardedFilter filter) implements Policy {

  @Override
  public Verdict judge(Object asked, Membership answer, boolean tries) {
    return answer == Membership.ABSENT ? Verdict.PASS : listed(answer);
  }

  /** The verdict by the exact source's answer for a key that the filter holds. */
  Verdict confirmed(Membership answer) {
    return answer == Membership.ABSENT ? Verdict.REFUTED : listed(answer);
  }

  private Verdict listed(Membership answer) {
    if (answer == Membership.UNKNOWN) {
      return FilterPolicy.undecided(filter);
    }
    return filter.verification().enforces() ? Verdict.REJECT : Verdict.WOULD_REJECT;
  }

  @Override
  public Membership membership(Verdict verdict) {
    return switch (verdict) {
      case PASS -> Membership.ABSENT;
      case REJECT -> Membership.POSSIBLY_PRESENT;
      default -> Membership.UNKNOWN;
    };
  }
}

package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.Membership;
import io.bloomguard.guard.PendingWrites;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.load.LoadSteps;
import io.bloomguard.guard.internal.verify.Verification;
import io.bloomguard.guard.internal.verify.Verification.Ruling;
import org.jspecify.annotations.Nullable;

/**
 * Rejects the keys that the filter lacks; a few of them are tried, and all pass if the filter does
 * not enforce.
 */
final class FilterPolicy implements Policy {

  private final GuardedFilter filter;
  private final Verification verification;
  private final LoadSteps steps;
  private final PendingWrites pending;

  /**
   * @param pending the unwritten writes of the calling threads, of which filter and cache know
   *     nothing
   */
  FilterPolicy(GuardedFilter filter, LoadSteps steps, PendingWrites pending) {
    this.filter = filter;
    this.verification = filter.verification();
    this.steps = steps;
    this.pending = pending;
  }

  @Override
  public @Nullable Verdict unasked() {
    return pending != PendingWrites.NONE && pending.remain(filter.name()) ? Verdict.PENDING : null;
  }

  @Override
  public Verdict judge(Object asked, Membership answer, boolean tries) {
    return switch (answer) {
      case POSSIBLY_PRESENT -> Verdict.PASS;
      case UNKNOWN -> undecided(filter);
      case ABSENT -> absent(asked, tries);
    };
  }

  /** The verdict on a key for which a filter cannot tell. */
  static Verdict undecided(GuardedFilter filter) {
    return filter.onUnknown() == UnknownPolicy.CLOSED && filter.verification().enforces()
        ? Verdict.REFUSE
        : Verdict.DOUBT;
  }

  private Verdict absent(Object asked, boolean tries) {
    if (steps.isUnnamedHere()) {
      return Verdict.WOULD_REJECT;
    }
    Object judged = KeyDecisions.judged(filter, asked);
    return tries
        ? verdict(verification.ruling(judged))
        : verification.rejects(judged) ? Verdict.REJECT : Verdict.WOULD_REJECT;
  }

  @Override
  public Verdict untried(Object asked) {
    return verdict(verification.untried(KeyDecisions.judged(filter, asked)));
  }

  private static Verdict verdict(Ruling ruling) {
    return switch (ruling) {
      case REJECT -> Verdict.REJECT;
      case PASS -> Verdict.WOULD_REJECT;
      case TRY -> Verdict.TRY;
      case WITHIN_TRIAL -> Verdict.WITHIN_TRIAL;
    };
  }

  @Override
  public Membership membership(Verdict verdict) {
    return switch (verdict) {
      case PASS -> Membership.POSSIBLY_PRESENT;
      case REJECT -> Membership.ABSENT;
      default -> Membership.UNKNOWN;
    };
  }
}

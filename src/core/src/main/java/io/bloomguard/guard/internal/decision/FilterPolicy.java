package io.bloomguard.guard.internal.decision;

import io.bloomguard.guard.Membership;
import io.bloomguard.guard.PendingWrites;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.load.CacheLoads;
import io.bloomguard.guard.internal.verify.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * Rejects the keys that the filter lacks; a few of them are tried, and all pass if the filter does
 * not enforce.
 *
 * @param pending the unwritten writes of the calling threads, of which filter and cache know
 *     nothing
 */
record FilterPolicy(GuardedFilter filter, CacheLoads steps, PendingWrites pending)
    implements Policy {

  @Override
  public @Nullable Verdict unasked() {
    return pending != PendingWrites.NONE && pending.remain(filter.name()) ? Verdict.PENDING : null;
  }

  @Override
  public Verdict judge(Object asked, Membership answer, boolean tries) {
    return switch (answer) {
      case POSSIBLY_PRESENT -> Verdict.PASS;
      case UNKNOWN -> Policy.undecided(filter);
      case ABSENT ->
          steps.isUnnamedHere()
              ? Verdict.WOULD_REJECT
              : filter.verification().verdict(KeyDecisions.judged(filter, asked), tries);
    };
  }

  @Override
  public Verdict untried(Object asked) {
    return filter.verification().untried(KeyDecisions.judged(filter, asked));
  }
}

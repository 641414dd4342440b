package io.bloomguard.guard;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.guard.verify.Verification;
import java.time.Duration;

/**
 * One filter and what the guard keeps for it.
 *
 * @param name the filter's name
 * @param store where its bits live
 * @param onUnknown the policy for keys on which it cannot tell
 * @param counters counts its outcomes
 * @param listener gets its loads and waits
 * @param deniedKeys gets the keys it denies
 * @param journalRetention how long the store remembers acknowledged adds for a generation that is
 *     built later; a write open for half of it adds its key again before the commit
 * @param verification says which of its rejections take effect
 * @param folding which of its keys are equal
 * @param rejection which keys its guard rejects
 */
public record GuardedFilter(
    String name,
    MembershipStore store,
    UnknownPolicy onUnknown,
    OutcomeCounters counters,
    GuardListener listener,
    DeniedKeyListener deniedKeys,
    Duration journalRetention,
    Verification verification,
    KeyFolding folding,
    Rejection rejection) {

  /** The same for another store, such as of one subject. */
  public GuardedFilter over(MembershipStore other) {
    return new GuardedFilter(
        name,
        other,
        onUnknown,
        counters,
        listener,
        deniedKeys,
        journalRetention,
        verification,
        folding,
        rejection);
  }
}

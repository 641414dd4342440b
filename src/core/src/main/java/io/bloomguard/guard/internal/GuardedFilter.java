package io.bloomguard.guard.internal;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.guard.DeniedKeyListener;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.internal.verify.Verification;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One filter, with the policies, counters and listeners of its guard.
 *
 * @param name the filter's name
 * @param store the place of its bits
 * @param onUnknown the policy for keys for which the filter cannot tell
 * @param counters counts its outcomes
 * @param listener the listener to its loads and waits
 * @param deniedKeys the listener to the keys it denies
 * @param journalRetention the time for which the store remembers acknowledged adds for a generation
 *     that is built later; a write that is open for half of that time adds its key again before the
 *     commit
 * @param verification decides which of its rejections take effect
 * @param folding the rule by which its keys are equal
 * @param rejection the keys that its guard rejects
 * @param scope the first part of its keys, which callers leave out; null for none
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
    Rejection rejection,
    @Nullable KeyScope scope) {

  /** {@return the answers of its store, and the doubts about them} */
  public FilterAnswers answers() {
    return verification.answers(store);
  }

  /**
   * Notes that a null entry was stored for a key that the filter has passed. Databases do not agree
   * about some letters, such as the dotless i, which the store holds equal to others: what was
   * found under one of them says nothing of the other's row.
   *
   * @param key a folded key
   */
  public void foundNothing(String key) {
    if (folding.widest(key).equals(key)) {
      store.foundNothing(key);
    }
  }

  /**
   * {@return the same for another store, such as of one subject}
   *
   * @param other the store in place of {@link #store}
   */
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
        rejection,
        scope);
  }
}

package io.bloomguard.guard.decision;

import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.Trial;
import org.jspecify.annotations.Nullable;

/**
 * A filter's answer that was asked for ahead of the guarded call of the key, on the same thread, so
 * that the call does not send the request again.
 *
 * <p>It is never {@link Membership#ABSENT}: a key may be added between the look and the call, and
 * then the older answer would reject it.
 */
final class ForeseenAnswer implements Trial.Scope {

  private static final ThreadLocal<@Nullable ForeseenAnswer> CURRENT = new ThreadLocal<>();

  private final MembershipStore store;
  private final String key;
  private final Membership membership;
  private final @Nullable ForeseenAnswer outer;
  private boolean taken;

  private ForeseenAnswer(
      MembershipStore store, String key, Membership membership, @Nullable ForeseenAnswer outer) {
    this.store = store;
    this.key = key;
    this.membership = membership;
    this.outer = outer;
  }

  /**
   * Leaves an answer to the next guarded call of the key on this thread.
   *
   * @param key canonical
   * @param membership possibly present or unknown
   */
  static ForeseenAnswer begin(MembershipStore store, String key, Membership membership) {
    if (membership == Membership.ABSENT) {
      throw new IllegalArgumentException("An absent key is rejected, or asked for again");
    }
    ForeseenAnswer answer = new ForeseenAnswer(store, key, membership, CURRENT.get());
    CURRENT.set(answer);
    return answer;
  }

  /** The answer for an asked key, which is taken once; null if none was foreseen. */
  static @Nullable Membership take(MembershipStore store, Object asked) {
    ForeseenAnswer answer = CURRENT.get();
    if (answer == null
        || answer.taken
        || answer.store != store
        || !answer.key.equals(KeyDecisions.text(asked))) {
      return null;
    }
    answer.taken = true;
    return answer.membership;
  }

  @Override
  public void close() {
    if (outer == null) {
      CURRENT.remove();
    } else {
      CURRENT.set(outer);
    }
  }
}

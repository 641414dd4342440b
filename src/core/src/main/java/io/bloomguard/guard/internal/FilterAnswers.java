package io.bloomguard.guard.internal;

import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The answers of a filter. Its absences may be in doubt for some keys, or at times: such a key is
 * never absent, but unknown.
 *
 * @param store the store that answers
 * @param doubts tell whether an absence may be wrong
 */
public record FilterAnswers(MembershipStore store, List<Doubt> doubts) {

  private static final Doubt[] NONE = {};

  /**
   * {@return the answer for a key}
   *
   * @param key a number, or canonical text
   */
  public Membership check(Object key) {
    Doubt[] seen = seen();
    return judged(
        key,
        key instanceof String text ? store.check(text) : store.check(((Number) key).longValue()),
        seen);
  }

  /**
   * {@return the answers for canonical keys}
   *
   * @param keys the keys, each once
   * @param atLeast the time that the filter's backend has to answer
   */
  public Membership[] checkAll(List<String> keys, Duration atLeast) {
    Doubt[] seen = seen();
    return judged(keys, store.checkAll(keys, atLeast), seen);
  }

  /**
   * {@return the answers for canonical keys, for a caller whose thread must not wait}
   *
   * @param keys the keys, each once
   * @param waiting runs what waits
   */
  public CompletableFuture<Membership[]> checkAsync(List<String> keys, Executor waiting) {
    Doubt[] seen = seen();
    return store.checkAsync(keys, waiting).thenApply(answers -> judged(keys, answers, seen));
  }

  /**
   * {@return whether the value cache may keep entries of a key}
   *
   * @param key a canonical key
   */
  public boolean keepsEntries(String key) {
    return store.keepsEntries(key)
        && (doubts.isEmpty() || doubts.stream().allMatch(doubt -> doubt.keepsEntries(key)));
  }

  /**
   * {@return the reason for which the absence of a key is in doubt; null for none}
   *
   * @param key a canonical key
   */
  public @Nullable String reason(String key) {
    return doubts.stream()
        .filter(doubt -> doubt.seen().isAbout(key))
        .findFirst()
        .map(Doubt::reason)
        .orElse(null);
  }

  private Doubt[] seen() {
    Doubt[] seen = doubts.toArray(NONE);
    for (int i = 0; i < seen.length; i++) {
      seen[i] = seen[i].seen();
    }
    return seen;
  }

  private static Membership judged(Object key, Membership answer, Doubt[] seen) {
    if (answer == Membership.ABSENT) {
      for (Doubt doubt : seen) {
        if (doubt.isAbout(key)) {
          return Membership.UNKNOWN;
        }
      }
    }
    return answer;
  }

  private static Membership[] judged(List<String> keys, Membership[] answers, Doubt[] seen) {
    for (int i = 0; i < answers.length && seen.length > 0; i++) {
      answers[i] = judged(keys.get(i), answers[i], seen);
    }
    return answers;
  }
}

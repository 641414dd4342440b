package io.bloomguard.guard.internal;

import io.bloomguard.filter.KeyForm;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.PendingAdd;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A store whose absences are in doubt for some keys, or at times: such a key is never absent, but
 * unknown.
 *
 * <p>A key that is possibly present costs nothing, and an absence the question for the doubt.
 *
 * @param store the store that answers
 * @param doubt tells whether an absence may be wrong
 */
public record DoubtedAbsences(MembershipStore store, Doubt doubt) implements MembershipStore {

  /**
   * {@return the reason for which the absence of a key from a store is in doubt; null for none}
   *
   * @param store any store
   * @param key a canonical key
   */
  public static @Nullable String reason(MembershipStore store, String key) {
    if (!(store instanceof DoubtedAbsences doubted)) {
      return null;
    }
    return doubted.doubt.seen().isAbout(key) ? doubted.doubt.reason() : reason(doubted.store, key);
  }

  private static Membership of(String key, Membership answer, Doubt seen) {
    return answer == Membership.ABSENT && seen.isAbout(key) ? Membership.UNKNOWN : answer;
  }

  private static Membership[] of(List<String> keys, Membership[] answers, Doubt seen) {
    for (int i = 0; i < answers.length; i++) {
      answers[i] = of(keys.get(i), answers[i], seen);
    }
    return answers;
  }

  @Override
  public Membership check(String key) {
    Doubt seen = doubt.seen();
    return of(key, store.check(key), seen);
  }

  @Override
  public Membership check(long key) {
    Doubt seen = doubt.seen();
    Membership answer = store.check(key);
    return answer == Membership.ABSENT && seen.isAbout(key) ? Membership.UNKNOWN : answer;
  }

  @Override
  public boolean keepsEntries(String key) {
    return doubt.keepsEntries(key) && store.keepsEntries(key);
  }

  @Override
  public boolean answersInMemory() {
    return store.answersInMemory();
  }

  @Override
  public Membership[] checkAll(List<String> keys) {
    Doubt seen = doubt.seen();
    return of(keys, store.checkAll(keys), seen);
  }

  @Override
  public Membership[] checkAll(List<String> keys, Duration atLeast) {
    Doubt seen = doubt.seen();
    return of(keys, store.checkAll(keys, atLeast), seen);
  }

  @Override
  public CompletableFuture<Membership[]> checkAsync(List<String> keys, Executor waiting) {
    Doubt seen = doubt.seen();
    return store.checkAsync(keys, waiting).thenApply(answers -> of(keys, answers, seen));
  }

  @Override
  public long generation() {
    return store.generation();
  }

  @Override
  public KeyForm keyForm() {
    return store.keyForm();
  }

  @Override
  public String keyHash(String key) {
    return store.keyHash(key);
  }

  @Override
  public Membership checkHash(String keyHash) {
    return store.checkHash(keyHash);
  }

  @Override
  public boolean likelyPresent(String key) {
    return store.likelyPresent(key);
  }

  @Override
  public boolean[] addEach(List<String> keys) {
    return store.addEach(keys);
  }

  @Override
  public PendingAdd beginAdd(List<String> keys) {
    return store.beginAdd(keys);
  }

  @Override
  public PendingAdd beginAdd(List<String> keys, String claim) {
    return store.beginAdd(keys, claim);
  }

  @Override
  public int addAll(List<String> keys) {
    return store.addAll(keys);
  }

  @Override
  public boolean removes() {
    return store.removes();
  }

  @Override
  public long servingStamp() {
    return store.servingStamp();
  }

  @Override
  public int removeAll(List<String> keys, long stamp) {
    return store.removeAll(keys, stamp);
  }
}

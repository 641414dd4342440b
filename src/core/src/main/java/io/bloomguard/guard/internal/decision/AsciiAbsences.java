package io.bloomguard.guard.internal.decision;

import io.bloomguard.filter.KeyForm;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.PendingAdd;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A store whose absences hold for ASCII keys alone: its source's column holds letters equal that
 * the filter distinguishes, so a key with any other letter may find a row under a key of ASCII
 * letters. Such a key is never absent, but unknown.
 *
 * <p>A row of ASCII letters is written under these, so nothing is kept under a key with others.
 *
 * <p>An absence costs one look at each character of its key; a number, and a key that is possibly
 * present, cost nothing.
 *
 * @param store of a filter whose source trusts its column's collation
 */
public record AsciiAbsences(MembershipStore store) implements MembershipStore {

  private static Membership of(String key, Membership answer) {
    return answer == Membership.ABSENT && !CanonicalKey.isAscii(key) ? Membership.UNKNOWN : answer;
  }

  private static Membership[] of(List<String> keys, Membership[] answers) {
    for (int i = 0; i < answers.length; i++) {
      answers[i] = of(keys.get(i), answers[i]);
    }
    return answers;
  }

  @Override
  public Membership check(String key) {
    return of(key, store.check(key));
  }

  @Override
  public boolean keepsEntries(String key) {
    return CanonicalKey.isAscii(key);
  }

  @Override
  public boolean answersInMemory() {
    return store.answersInMemory();
  }

  @Override
  public Membership check(long key) {
    return store.check(key);
  }

  @Override
  public Membership[] checkAll(List<String> keys) {
    return of(keys, store.checkAll(keys));
  }

  @Override
  public Membership[] checkAll(List<String> keys, Duration atLeast) {
    return of(keys, store.checkAll(keys, atLeast));
  }

  @Override
  public CompletableFuture<Membership[]> checkAsync(List<String> keys, Executor waiting) {
    return store.checkAsync(keys, waiting).thenApply(answers -> of(keys, answers));
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

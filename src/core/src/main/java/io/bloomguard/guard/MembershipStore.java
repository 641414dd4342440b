package io.bloomguard.guard;

import io.bloomguard.filter.KeyForm;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * One named filter, on the heap or in Redis.
 *
 * <p>Keys are canonical and within the key rules; the guard ensures both. They are not folded: the
 * store folds them, since during a change of the folding its content may be folded in the old way.
 * A check never throws: a doubtful answer is {@link Membership#UNKNOWN}.
 */
public interface MembershipStore {

  /**
   * {@return the filter's answer for a canonical key}
   *
   * @param key a canonical key
   */
  Membership check(String key);

  /** {@return whether every check is answered from the memory of this process} */
  default boolean answersInMemory() {
    return false;
  }

  /**
   * {@return the answer of {@code check(Long.toString(key))}, without the string if the store can}
   *
   * @param key a number
   */
  default Membership check(long key) {
    return check(Long.toString(key));
  }

  /**
   * {@return the answers for {@code keys}, in their order}
   *
   * @param keys canonical keys
   */
  default Membership[] checkAll(List<String> keys) {
    Membership[] answers = new Membership[keys.size()];
    for (int i = 0; i < answers.length; i++) {
      answers[i] = check(keys.get(i));
    }
    return answers;
  }

  /**
   * Checks keys for a caller that waits longer than a request does, as long as the backend may need
   * on a busy machine. The default waits as long as for any caller.
   *
   * @param keys canonical keys
   * @param atLeast the time that the backend has to answer
   * @return the answers for {@code keys}, in their order
   */
  default Membership[] checkAll(List<String> keys, Duration atLeast) {
    return checkAll(keys);
  }

  /**
   * Checks keys for a caller whose thread must not wait: the answers come at once or on any thread.
   * Never fails. The default asks on the calling thread, for a store in memory; every other store
   * overrides it.
   *
   * @param keys canonical keys
   * @param waiting runs work that waits
   * @return the answers in the order of the keys
   */
  default CompletableFuture<Membership[]> checkAsync(List<String> keys, Executor waiting) {
    return CompletableFuture.completedFuture(checkAll(keys));
  }

  /**
   * {@return whether the value cache may keep entries of a key} A row that is found under another
   * key, too, is written under that one, and the write would leave the entries behind.
   *
   * @param key a canonical key
   */
  default boolean keepsEntries(String key) {
    return true;
  }

  /**
   * {@return the number of the generation that answers, as far as this process knows; 0 for none}
   * Sends no request.
   */
  default long generation() {
    return 0;
  }

  /**
   * {@return the form in which the filter takes keys} The guard refuses other keys before it asks
   * the filter.
   */
  default KeyForm keyForm() {
    return KeyForm.TEXT;
  }

  /**
   * {@return a hash of a canonical key that does not reveal the key, for the log; empty for none}
   *
   * @param key a canonical key
   */
  default String keyHash(String key) {
    return "";
  }

  /**
   * {@return the answer for the key of a {@linkplain #keyHash hash}; {@link Membership#UNKNOWN} if
   * this filter cannot be asked by it}
   *
   * @param keyHash what {@link #keyHash} has answered, perhaps in another process
   */
  default Membership checkHash(String keyHash) {
    return Membership.UNKNOWN;
  }

  /**
   * Notes that a null entry was stored for a key that this filter has passed, under a lease that no
   * write has revoked. A filter that is not in doubt may answer {@link Membership#ABSENT} for such
   * a key from its second null entry on, until it is added, or another generation serves. Sends no
   * request. Never throws.
   *
   * @param key a canonical key
   */
  default void foundNothing(String key) {}

  /**
   * {@return the last known answer for a canonical key that the filter cannot decide} It is a hint
   * for priorities, never an answer: true if the key was possibly present, false if it was not or
   * nothing is known. Sends no request.
   *
   * @param key a canonical key
   */
  default boolean likelyPresent(String key) {
    return false;
  }

  /**
   * Adds keys to every generation that accepts writes and returns once the serving one holds them.
   *
   * <p>A key is new if the serving generation called it absent until this add. Of all callers that
   * add one key, at most one gets true; none gets it if the key was a false positive, no generation
   * serves, the filter is in doubt, or the answer was lost.
   *
   * @param keys canonical keys, which may be equal
   * @return for each key, in their order, whether it was new
   * @throws AddFailedException if the add could not be stored; the caller's write must then fail
   */
  boolean[] addEach(List<String> keys);

  /**
   * Adds keys like {@link #addEach}, but leaves the wait for copies of the filter in other
   * processes to the caller.
   *
   * @param keys canonical keys, which may be equal
   * @return the add, which the filter holds
   * @throws AddFailedException if the add could not be stored; the caller's write must then fail
   */
  default PendingAdd beginAdd(List<String> keys) {
    return PendingAdd.done(addEach(keys));
  }

  /**
   * Adds keys like {@link #beginAdd(List)}, once for each claim: a repeat with the same keys gets
   * the answer of the first add, as long as the claim is kept.
   *
   * @param keys canonical keys
   * @param claim names the add
   * @return the add, which the filter holds
   * @throws ClaimRefusedException if the claim stands for other keys, or this filter keeps none
   * @throws AddFailedException if the add could not be stored
   */
  default PendingAdd beginAdd(List<String> keys, String claim) {
    throw new ClaimRefusedException(
        "This kind of filter keeps no claims, so its adds cannot be repeated safely: leave the"
            + " claim (Idempotency-Key) out, or use the layout 'blocked' with backend 'local' or"
            + " 'redis', or a window");
  }

  /**
   * Adds keys to every generation that takes adds, and counts the new ones.
   *
   * @param keys canonical keys, which may be equal
   * @return the number of new keys
   */
  default int addAll(List<String> keys) {
    int added = 0;
    for (boolean isNew : addEach(keys)) {
      if (isNew) {
        added++;
      }
    }
    return added;
  }

  /** {@return whether the configuration of the filter allows removals} Sends no request. */
  default boolean removes() {
    return false;
  }

  /**
   * {@return a stamp of the generation that serves, as far as this process knows, for {@link
   * #removeAll}; 0 for none} A changed stamp means that another generation serves, or that part of
   * this one was lost.
   */
  default long servingStamp() {
    return generation();
  }

  /**
   * Takes back one addition of each key from the serving generation, if that has the key: one
   * decision for each key, and a key that is certainly absent changes nothing. No other generation
   * is changed.
   *
   * @param keys canonical keys, each of which was added
   * @param stamp of the generation that served before the rows of the keys were deleted: if another
   *     one serves by now, which may never have had them, nothing is removed. 0 for any generation
   *     that serves
   * @return how many keys were removed; 0 if the layout cannot remove keys
   * @throws RemovalFailedException if no generation serves, the store cannot tell where the keys
   *     are, or it is not known which keys were removed
   */
  default int removeAll(List<String> keys, long stamp) {
    return 0;
  }
}

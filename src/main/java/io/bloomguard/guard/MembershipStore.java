package io.bloomguard.guard;

import io.bloomguard.filter.KeyFunnel;
import java.util.List;

/**
 * One named filter, wherever its bits live.
 *
 * <p>Keys are canonical and within the key rules; the guard has seen to both. They are not folded:
 * the store does that, since what it holds may be folded otherwise while that changes. A check
 * never throws: whatever is doubtful is {@link Membership#UNKNOWN}.
 */
public interface MembershipStore {

  /** The filter's answer for a canonical key. */
  Membership check(String key);

  /** The same as {@code check(Long.toString(key))}, without the string where the store can. */
  default Membership check(long key) {
    return check(Long.toString(key));
  }

  /** The answers for {@code keys}, in their order. */
  default Membership[] checkAll(List<String> keys) {
    Membership[] answers = new Membership[keys.size()];
    for (int i = 0; i < answers.length; i++) {
      answers[i] = check(keys.get(i));
    }
    return answers;
  }

  /**
   * The number of the generation that answers, as far as this process knows; 0 for none. Without a
   * call.
   */
  default long generation() {
    return 0;
  }

  /** How the filter takes keys: those that it cannot take are refused before it is asked. */
  default KeyFunnel funnel() {
    return KeyFunnel.STRING_UTF8;
  }

  /** A hash of a canonical key that does not reveal the key, for the log; empty for none. */
  default String keyHash(String key) {
    return "";
  }

  /**
   * The last known answer for a canonical key that the filter cannot decide. A hint of what to do
   * first, never an answer: true where the key was possibly present, false where it was not or
   * nothing is known. Without a call.
   */
  default boolean likelyPresent(String key) {
    return false;
  }

  /**
   * Adds keys to every generation that accepts writes and returns once the serving one holds them.
   *
   * <p>A key is new where this add made a key present that the serving generation called absent. Of
   * all callers that add one key, at most one gets true; none where the key was a false positive,
   * where nothing serves or the filter is in doubt, and where the answer was lost.
   *
   * @return for each key, in their order, whether it was new
   * @throws AddFailedException if the add could not be stored; the caller's write must then fail
   */
  boolean[] addEach(List<String> keys);

  /** As {@link #addEach}. Returns how many keys were new. */
  default int addAll(List<String> keys) {
    int added = 0;
    for (boolean isNew : addEach(keys)) {
      if (isNew) {
        added++;
      }
    }
    return added;
  }

  /** Whether keys can be removed, as the filter is configured. Sends no request. */
  default boolean removes() {
    return false;
  }

  /**
   * A stamp of the generation that serves, as far as this process knows, for {@link #removeAll}; 0
   * for none. Another one serves, or something of it was lost, where it has changed.
   */
  default long servingStamp() {
    return generation();
  }

  /**
   * Takes one addition of each key back, where a generation serves that has it: one decision a key,
   * and a key that is certainly absent changes nothing. No other generation is changed.
   *
   * @param stamp of the generation that served before the rows of the keys went: where another
   *     serves by now, which may never have had them, nothing is removed. 0 for whichever serves
   * @return how many keys were removed; 0 where the layout cannot
   * @throws RemovalFailedException if nothing serves, the store cannot tell where the keys are, or
   *     it is not known what was removed
   */
  default int removeAll(List<String> keys, long stamp) {
    return 0;
  }
}

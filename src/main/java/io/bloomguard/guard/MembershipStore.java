package io.bloomguard.guard;

import java.util.List;

/**
 * One named filter, wherever its bits live.
 *
 * <p>Keys are canonical and within the key rules; the guard has seen to both. They are not folded:
 * the store does that, since what it holds may be folded otherwise while that changes. A check
 * never throws: whatever is doubtful is {@link Membership#UNKNOWN}.
 */
public interface MembershipStore {

  /** What the filter says of a canonical key. */
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
   * The number of the generation that answers, as far as this process knows; 0 for none. Asks
   * nobody.
   */
  default long generation() {
    return 0;
  }

  /** A hash of a canonical key that does not tell the key, for the log; empty for none. */
  default String keyHash(String key) {
    return "";
  }

  /**
   * What was last known of a canonical key that the filter cannot decide. A hint of what to do
   * first, never an answer: true where the key was possibly present, false where it was not or
   * nothing is known. Asks nobody.
   */
  default boolean likelyPresent(String key) {
    return false;
  }

  /**
   * Adds keys to every generation that accepts writes and returns once the serving one holds them.
   *
   * @return how many keys changed at least one bit of the serving generation (of the one being
   *     built, where none serves yet)
   * @throws AddFailedException if the add could not be stored; the caller's write must then fail
   */
  int addAll(List<String> keys);

  /** Removes a key where the layout can; false where it cannot. */
  default boolean remove(String key) {
    return false;
  }
}

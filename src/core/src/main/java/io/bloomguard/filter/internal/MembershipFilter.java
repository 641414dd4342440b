package io.bloomguard.filter.internal;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyForm;
import java.util.Objects;

/**
 * An approximate set of canonical keys without false negatives: an added key is always possibly
 * present; any other key is so with the false-positive probability of the shape.
 *
 * <p>Every method may be called by any number of threads at once. Every check that happens after an
 * add has returned sees that add.
 */
public interface MembershipFilter {

  /** {@return the immutable dimensions of this filter} */
  FilterShape shape();

  /** {@return the salt of its image, 0 for none} */
  default long salt() {
    return 0;
  }

  /** {@return the form in which it takes keys} */
  default KeyForm keyForm() {
    return KeyForm.TEXT;
  }

  /**
   * {@return false if {@code key}, in its canonical form, was certainly never added}
   *
   * @param key a canonical key
   */
  boolean mightContain(String key);

  /**
   * {@return the answer of {@code mightContain(Long.toString(key))}, without the string}
   *
   * @param key a number
   */
  boolean mightContain(long key);

  /**
   * Checks {@code keys[0..count)} and writes each answer to the same index of {@code answers}.
   *
   * @param keys canonical keys
   * @param count the number of keys to check, 0 or more
   * @param answers gets for each key what {@link #mightContain(String)} returns
   * @throws IndexOutOfBoundsException if either array is shorter than {@code count}
   */
  void mightContainAll(String[] keys, int count, boolean[] answers);

  /**
   * Checks {@code keys[0..count)} by their decimal form.
   *
   * @param keys numbers
   * @param count the number of keys to check, 0 or more
   * @param answers gets for each key what {@link #mightContain(long)} returns
   * @throws IndexOutOfBoundsException if either array is shorter than {@code count}
   */
  void mightContainAll(long[] keys, int count, boolean[] answers);

  /**
   * Adds a canonical key.
   *
   * @param key a canonical key
   * @return true if at least one bit changed: for at most one of several adders of a key
   */
  boolean add(String key);

  /**
   * Adds a number by its decimal form, without making the string.
   *
   * @param key a number
   * @return true if at least one bit changed: for at most one of several adders of a key
   */
  boolean add(long key);

  /**
   * Adds {@code keys[0..count)}.
   *
   * @param keys canonical keys
   * @param count the number of keys to add, 0 or more
   * @return the number of keys that changed at least one bit
   */
  default int addAll(String[] keys, int count) {
    Objects.checkFromIndexSize(0, count, keys.length);
    int changed = 0;
    for (int i = 0; i < count; i++) {
      if (add(keys[i])) {
        changed++;
      }
    }
    return changed;
  }

  /**
   * {@return the 64-bit words of a key's hash, from which all its bits follow in any shape: 1 or 2}
   */
  int hashWords();

  /**
   * Writes the hash of a canonical key to {@code hash}, whose length is {@link #hashWords}.
   *
   * @param key a canonical key
   * @param hash gets the words of the hash
   */
  void hash(String key, long[] hash);

  /**
   * Adds the key with a hash that a filter of this layout computed.
   *
   * @param hashes holds the words of the hash from {@code at} on
   * @param at the index of the first word in {@code hashes}
   * @return true if at least one bit changed
   */
  boolean addHash(long[] hashes, int at);

  /** {@return bits set over all bits, 0 to 1, from a count kept as bits are set} */
  double fillRatio();

  /** {@return the number of distinct keys added, estimated from the fill ratio} */
  long estimatedElements();

  /** {@return the false-positive probability at the present fill, 0 to 1} */
  double expectedFalsePositiveProbability();
}

package io.bloomguard.filter;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;

/**
 * An approximate set of canonical keys without false negatives: an added key is always possibly
 * present; any other key is so with the false-positive probability of the shape.
 *
 * <p>Every method may be called by any number of threads at once. Every check that happens after an
 * add has returned sees that add.
 */
public interface MembershipFilter {

  /** The immutable dimensions of this filter. */
  FilterShape shape();

  /** False if {@code key}, in its canonical form, was certainly never added. */
  boolean mightContain(String key);

  /** The same as {@code mightContain(Long.toString(key))}, without the string. */
  boolean mightContain(long key);

  /**
   * Checks {@code keys[0..count)} and writes each answer to the same index of {@code answers}.
   *
   * @throws IndexOutOfBoundsException if either array is shorter than {@code count}
   */
  void mightContainAll(String[] keys, int count, boolean[] answers);

  /**
   * The same for {@code keys[0..count)} in their decimal form.
   *
   * @throws IndexOutOfBoundsException if either array is shorter than {@code count}
   */
  void mightContainAll(long[] keys, int count, boolean[] answers);

  /**
   * Adds a canonical key. True if at least one bit changed: for at most one of several adders of a
   * key.
   */
  boolean add(String key);

  /** The same as {@code add(Long.toString(key))}, without the string. */
  boolean add(long key);

  /** Adds {@code keys[0..count)}. Returns how many changed at least one bit. */
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

  /** The 64-bit words of a key's hash, from which all its bits follow in any shape: 1 or 2. */
  int hashWords();

  /** Writes the hash of a canonical key to {@code hash}, whose length is {@link #hashWords}. */
  void hash(String key, long[] hash);

  /**
   * Adds the key with a hash that a filter of this layout computed. True if at least one bit
   * changed.
   *
   * @param hashes holds the words of the hash from {@code at} on
   */
  boolean addHash(long[] hashes, int at);

  /** Bits set over all bits, 0 to 1, from a count kept as bits are set. */
  double fillRatio();

  /** The number of distinct keys added, estimated from the fill ratio. */
  long estimatedElements();

  /** The false-positive probability at the present fill, 0 to 1. */
  double expectedFalsePositiveProbability();

  /**
   * Writes the bits alone, in the layout's own form; {@code FilterCodec} adds fingerprint and
   * checksum.
   */
  void writeBits(OutputStream out) throws IOException;
}

package io.bloomguard.classic.internal.hash;

import java.util.List;

/**
 * The offsets of a key's bits in a bit string of m bits: each hash of the key modulo m. The bits of
 * a key may coincide.
 */
public final class BitOffsets {

  private final long bits;
  private final int count;
  private final long range;
  private final Hashes hashes;

  private BitOffsets(long bits, int count, long range, Hashes hashes) {
    if (bits < 1) {
      throw new IllegalArgumentException("A bit string has " + bits + " bits, but needs 1");
    }
    this.bits = bits;
    this.count = count;
    this.range = range;
    this.hashes = hashes;
  }

  /**
   * {@return one bit for each of the hashes}
   *
   * @param bits m, at least 1
   * @param families the hashes, at least one
   */
  public static BitOffsets of(long bits, List<ClassicHash> families) {
    ClassicHash[] each = families.toArray(ClassicHash[]::new);
    return new BitOffsets(bits, each.length, 1L << 32, (key, i) -> each[i].hash(key));
  }

  /**
   * {@return one bit for each of the first {@code count} seeds of {@link SeededBkdr}}
   *
   * @param bits m, at least 1
   * @param count 1 to {@link SeededBkdr#SEEDS}
   */
  public static BitOffsets seeded(long bits, int count) {
    if (count < 1 || count > SeededBkdr.SEEDS) {
      throw new IllegalArgumentException("There are 1 to 16 seeds, not " + count);
    }
    return new BitOffsets(bits, count, SeededBkdr.RANGE, SeededBkdr::hash);
  }

  /** {@return k, the bits of one key} */
  public int count() {
    return count;
  }

  /**
   * {@return the number of the m bits that any key can have: fewer than m if the hashes are
   * shorter}
   */
  public long reachable() {
    return Math.min(bits, range);
  }

  /**
   * Writes the offsets of a key's bits to {@code to}, from {@code at} on.
   *
   * @param key the bytes of a key
   * @param to gets the offsets, 0 to m - 1
   * @param at the index of the first offset in {@code to}
   */
  public void write(byte[] key, long[] to, int at) {
    for (int i = 0; i < count; i++) {
      to[at + i] = hashes.hash(key, i) % bits;
    }
  }

  /** Several hashes of one key. */
  private interface Hashes {
    long hash(byte[] key, int index);
  }
}

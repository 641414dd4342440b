package io.bloomguard.classic.internal.hash;

import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * The offsets of a key's bits in a bit string of m bits: each hash of the key modulo m. The bits of
 * a key may coincide.
 *
 * @param bits m, at least 1
 * @param range the number of values of a hash
 * @param hashes k hashes of a key's bytes
 */
public record BitOffsets(long bits, long range, List<ToLongFunction<byte[]>> hashes) {

  /** Requires at least one bit. */
  public BitOffsets {
    if (bits < 1) {
      throw new IllegalArgumentException("A bit string has " + bits + " bits, but needs 1");
    }
  }

  /**
   * {@return one bit for each of the hashes}
   *
   * @param bits m, at least 1
   * @param families the hashes, at least one
   */
  public static BitOffsets of(long bits, List<ClassicHash> families) {
    return new BitOffsets(
        bits,
        1L << 32,
        families.stream().<ToLongFunction<byte[]>>map(family -> family::hash).toList());
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
    return new BitOffsets(
        bits,
        SeededBkdr.RANGE,
        IntStream.range(0, count)
            .<ToLongFunction<byte[]>>mapToObj(seed -> key -> SeededBkdr.hash(key, seed))
            .toList());
  }

  /** {@return k, the bits of one key} */
  public int count() {
    return hashes.size();
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
    for (int i = 0; i < hashes.size(); i++) {
      to[at + i] = hashes.get(i).applyAsLong(key) % bits;
    }
  }
}

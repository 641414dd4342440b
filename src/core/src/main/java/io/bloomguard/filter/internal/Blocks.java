package io.bloomguard.filter.internal;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * The memory of a filter in blocks: 64-bit words, those of one block together, and the tests and
 * changes of a hash's positions. Every hash here is a {@linkplain BlockGeometry#salted salted} one.
 */
abstract class Blocks {

  static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

  /**
   * Words before the image. Collectors put a large array at a boundary of their own (G1 a region,
   * ZGC a page), and its elements follow a header of 16 bytes: six words later a cache line begins,
   * and so does the first block.
   */
  static final int PADDING = 6;

  final BlockGeometry geometry;
  final long[] words;

  Blocks(FilterShape shape, long salt) {
    this.geometry = new BlockGeometry(shape.onHeap(), salt);
    this.words = new long[Math.toIntExact(PADDING + shape.sizeBytes() / Long.BYTES)];
  }

  /** Clear memory of a shape whose layout has blocks. */
  static Blocks of(FilterShape shape, long salt) {
    return shape.layout() == Layout.COUNTING
        ? new BlockCounters(shape, salt)
        : new BlockBits(shape, salt);
  }

  BlockGeometry geometry() {
    return geometry;
  }

  /** The number of 64-bit words. */
  int size() {
    return words.length - PADDING;
  }

  /** Word {@code index}. */
  long get(int index) {
    return read(PADDING + Objects.checkIndex(index, size()));
  }

  /** A word of the block of a hash: reading it brings the block into the caches. */
  long touch(long hash) {
    return read(firstWord(hash));
  }

  /** False if at least one position of a hash is clear. */
  abstract boolean test(long hash);

  /** Sets the positions of a hash. Returns how many were clear. */
  abstract int set(long hash);

  /**
   * Sets the positions of a hash for a writer that has the block for itself.
   *
   * @return true if at least one was clear
   */
  abstract boolean setAlone(long hash);

  /**
   * Takes back one setting of a hash's positions, in one decision with the test that all are set.
   *
   * @return how many became clear, -1 if nothing was changed
   */
  abstract int unset(long hash);

  /** Merges a word of another image into word {@code index}. Returns how many positions are new. */
  abstract int merge(int index, long word);

  /** The number of positions that are set in {@code size} words from {@code index} on. */
  long count(int index, int size) {
    long set = 0;
    for (int i = index; i < index + size; i++) {
      set += Long.bitCount(geometry.present(get(i)));
    }
    return set;
  }

  int firstWord(long hash) {
    return PADDING + (int) (geometry.saltedBlock(hash) * geometry.imageWords());
  }

  long read(int word) {
    return (long) WORDS.getOpaque(words, word);
  }
}

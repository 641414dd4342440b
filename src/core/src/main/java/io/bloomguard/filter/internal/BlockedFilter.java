package io.bloomguard.filter.internal;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * A filter whose keys each keep all their bits in one block, so that a check touches one cache
 * line; or, in the layout {@link Layout#COUNTING}, a counter of 4 bits for each of these, so that
 * keys can be removed.
 *
 * <p>Its image is a row of 64-bit words, big-endian wherever it leaves the heap: word i lies at
 * byte 8 i of a file or of a Redis string. Only counters ever decrease. A check takes no lock; an
 * add to blocks of several words takes the lock of its block, so that only one of several adders of
 * a key changes the block. {@link BlockedFill} sets the bits of a filter without readers faster.
 */
public final class BlockedFilter implements MembershipFilter {

  /** Keys hashed before the first of them is tested: their cache misses then overlap. */
  private static final int BATCH = 128;

  private final FilterShape shape;
  private final KeyHasher hasher;
  private final Blocks bits;
  private final LongAdder bitsSet = new LongAdder();

  /**
   * An empty filter without a salt.
   *
   * @param shape the dimensions, which fix the size of the heap that it takes
   * @param hasher the hash of its keys
   * @throws IllegalArgumentException if the shape's layout has no blocks
   */
  public BlockedFilter(FilterShape shape, KeyHasher hasher) {
    this(shape, hasher, 0);
  }

  /**
   * An empty filter.
   *
   * @param shape the dimensions, which fix the size of the heap that it takes
   * @param hasher the hash of its keys
   * @param salt the salt of its image, 0 for none
   * @throws IllegalArgumentException if the shape's layout has no blocks
   */
  public BlockedFilter(FilterShape shape, KeyHasher hasher, long salt) {
    this.shape = shape;
    this.hasher = hasher;
    this.bits = Blocks.of(shape, salt);
  }

  @Override
  public FilterShape shape() {
    return shape;
  }

  @Override
  public long salt() {
    return geometry().salt();
  }

  /** {@return the hash of keys} */
  public KeyHasher hasher() {
    return hasher;
  }

  /** {@return the places of a hash's bits} */
  public BlockGeometry geometry() {
    return bits.geometry();
  }

  @Override
  public boolean mightContain(String key) {
    return mightContainHash(hasher.hash(key));
  }

  @Override
  public boolean mightContain(long key) {
    return mightContainHash(hasher.hash(key));
  }

  /**
   * {@return whether the key with a hash that {@link #hasher} computed may have been added}
   *
   * @param hash the hash of a key
   */
  public boolean mightContainHash(long hash) {
    return bits.test(salted(hash));
  }

  @Override
  public void mightContainAll(String[] keys, int count, boolean[] answers) {
    Objects.checkFromIndexSize(0, count, Math.min(keys.length, answers.length));
    Batch batch = new Batch(count);
    for (int from = 0; from < count; from += BATCH) {
      int size = Math.min(BATCH, count - from);
      for (int i = 0; i < size; i++) {
        batch.hashes[i] = salted(hasher.hash(keys[from + i]));
      }
      batch.test(size, from, answers);
    }
  }

  @Override
  public void mightContainAll(long[] keys, int count, boolean[] answers) {
    Objects.checkFromIndexSize(0, count, Math.min(keys.length, answers.length));
    Batch batch = new Batch(count);
    for (int from = 0; from < count; from += BATCH) {
      int size = Math.min(BATCH, count - from);
      for (int i = 0; i < size; i++) {
        batch.hashes[i] = salted(hasher.hash(keys[from + i]));
      }
      batch.test(size, from, answers);
    }
  }

  @Override
  public boolean add(String key) {
    return addHash(hasher.hash(key));
  }

  @Override
  public boolean add(long key) {
    return addHash(hasher.hash(key));
  }

  /**
   * Adds the key with a hash that {@link #hasher} computed.
   *
   * @param hash the hash of a key
   * @return whether at least one bit changed
   */
  public boolean addHash(long hash) {
    int changed = bits.set(salted(hash));
    if (changed > 0) {
      bitsSet.add(changed);
    }
    return changed > 0;
  }

  /**
   * Takes back one addition of a key, in one decision: a key that its counters prove absent changes
   * nothing. Only a key that was added may be removed: the removal of a false positive removes
   * other keys.
   *
   * @param key a canonical key
   * @return true if at least one counter was decremented; never in a layout without counters
   */
  public boolean remove(String key) {
    return removeHash(hasher.hash(key));
  }

  /**
   * Removes a key by a hash that {@link #hasher} computed.
   *
   * @param hash the hash of a key
   * @return true if at least one counter was decremented; never in a layout without counters
   */
  public boolean removeHash(long hash) {
    int cleared = bits.unset(salted(hash));
    if (cleared > 0) {
      bitsSet.add(-cleared);
    }
    return cleared >= 0;
  }

  /**
   * {@return whether a position of the image, of all blocks in order, is set}
   *
   * @param position the index of the position, 0 to m - 1
   */
  public boolean isSet(long position) {
    int counterBits = shape.layout().counterBits();
    Objects.checkIndex(position, shape.bits());
    int perWord = Long.SIZE / counterBits;
    int inWord = (int) (position % perWord);
    long word = bits.get((int) (position / perWord));
    return counterBits == 1
        ? (word >>> inWord & 1) != 0
        : (word << inWord * counterBits >>> Long.SIZE - counterBits) != 0;
  }

  @Override
  public int hashWords() {
    return 1;
  }

  @Override
  public void hash(String key, long[] hash) {
    hash[0] = hasher.hash(key);
  }

  @Override
  public boolean addHash(long[] hashes, int at) {
    return addHash(hashes[at]);
  }

  @Override
  public double fillRatio() {
    return (double) bitsSet.sum() / shape.bits();
  }

  @Override
  public long estimatedElements() {
    return shape.estimateElements(bitsSet.sum());
  }

  @Override
  public double expectedFalsePositiveProbability() {
    return shape.falsePositiveProbabilityAt(estimatedElements());
  }

  /** {@return the number of 64-bit words of the image} */
  public long words() {
    return bits.size();
  }

  /**
   * {@return word {@code index} of the image}
   *
   * @param index the index of the word, 0 to {@link #words} - 1
   */
  public long word(long index) {
    return bits.get((int) Objects.checkIndex(index, words()));
  }

  /**
   * Puts the words of the image from {@code fromWord} on, big-endian, into {@code target}, until
   * that has no room for another word or the image ends.
   *
   * @param fromWord the index of the first word
   * @param target the buffer, filled from its position on
   */
  public void readWords(long fromWord, ByteBuffer target) {
    int from = Math.toIntExact(fromWord);
    int count = Math.min(target.remaining() / Long.BYTES, bits.size() - from);
    ByteOrder order = target.order();
    target.order(ByteOrder.BIG_ENDIAN);
    for (int i = from; i < from + count; i++) {
      target.putLong(bits.get(i));
    }
    target.order(order);
  }

  /**
   * Sets the bits that are set in {@code source}, or adds its counters. The source holds whole
   * big-endian words for those of the image from {@code fromWord} on. No bit is cleared.
   *
   * @param fromWord the index of the first word
   * @param source the buffer, read from its position to its limit
   * @throws IllegalArgumentException if the source ends within a word
   * @throws IndexOutOfBoundsException if the words do not lie within the image
   */
  public void mergeWords(long fromWord, ByteBuffer source) {
    if (source.remaining() % Long.BYTES != 0) {
      throw new IllegalArgumentException(
          "The source has " + source.remaining() + " bytes, but must have whole words of 8");
    }
    int count = source.remaining() / Long.BYTES;
    Objects.checkFromIndexSize(fromWord, (long) count, words());
    int from = (int) fromWord;
    ByteOrder order = source.order();
    source.order(ByteOrder.BIG_ENDIAN);
    long set = 0;
    for (int i = from; i < from + count; i++) {
      set += bits.merge(i, source.getLong());
    }
    source.order(order);
    bitsSet.add(set);
  }

  private long salted(long hash) {
    return bits.geometry().salted(hash);
  }

  Blocks bits() {
    return bits;
  }

  /** Counts the set bits of some words, which were set without this filter's count. */
  void countBits(long fromWord, long words) {
    bitsSet.add(bits.count((int) fromWord, (int) words));
  }

  /** The salted hashes of some keys on their way through the passes of a batch. */
  private final class Batch {

    private final long[] hashes;
    private final long[] touched;

    Batch(int count) {
      this.hashes = new long[Math.min(count, BATCH)];
      this.touched = new long[hashes.length];
    }

    /**
     * Tests the first {@code size} hashes, after reading a word of each one's block: these reads
     * are independent, so the memory serves many at once.
     */
    void test(int size, int from, boolean[] answers) {
      for (int i = 0; i < size; i++) {
        touched[i] = bits.touch(hashes[i]);
      }
      for (int i = 0; i < size; i++) {
        answers[from + i] = bits.test(hashes[i]);
      }
    }
  }
}

package io.bloomguard.filter;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * A filter whose keys each keep all their bits in one block, so that a check touches one cache line
 * (two, where the array's header shifts the block).
 *
 * <p>Its image is a row of 64-bit words, big-endian wherever it leaves the heap: word i lies at
 * byte 8 i of a file or of a Redis string. Bits are only ever set, atomically and without locks.
 */
public final class BlockedFilter implements MembershipFilter {

  private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

  /** Keys hashed before the first of them is tested. */
  private static final int BATCH = 256;

  private static final int BUFFER_BYTES = 1 << 16;

  private final FilterShape shape;
  private final KeyHasher hasher;
  private final BlockGeometry geometry;
  private final long[] words;
  private final LongAdder bitsSet = new LongAdder();

  /**
   * An empty filter.
   *
   * @throws IllegalArgumentException if the shape's layout is not {@link Layout#BLOCKED}
   */
  public BlockedFilter(FilterShape shape, KeyHasher hasher) {
    this.shape = shape;
    this.hasher = hasher;
    this.geometry = new BlockGeometry(shape);
    this.words = new long[Math.toIntExact(shape.bits() / Long.SIZE)];
  }

  /**
   * A filter with the bits of an image.
   *
   * @param image all words of the filter, big-endian, from the buffer's position to its limit
   * @throws IllegalArgumentException if the image is not of the shape's size
   */
  public static BlockedFilter ofImage(FilterShape shape, KeyHasher hasher, ByteBuffer image) {
    if (image.remaining() != shape.sizeBytes()) {
      throw new IllegalArgumentException(
          "The image has " + image.remaining() + " bytes, but must have " + shape.sizeBytes());
    }
    BlockedFilter filter = new BlockedFilter(shape, hasher);
    filter.mergeWords(0, image);
    return filter;
  }

  @Override
  public FilterShape shape() {
    return shape;
  }

  /** The hash of keys. */
  public KeyHasher hasher() {
    return hasher;
  }

  /** Where the bits of a hash lie. */
  public BlockGeometry geometry() {
    return geometry;
  }

  @Override
  public boolean mightContain(String key) {
    return test(hasher.hash(key));
  }

  @Override
  public boolean mightContain(long key) {
    return test(hasher.hash(key));
  }

  @Override
  public void mightContainAll(String[] keys, int count, boolean[] answers) {
    Objects.checkFromIndexSize(0, count, Math.min(keys.length, answers.length));
    long[] hashes = new long[Math.min(count, BATCH)];
    for (int from = 0; from < count; from += BATCH) {
      int size = hash(keys, from, count, hashes);
      for (int i = 0; i < size; i++) {
        answers[from + i] = test(hashes[i]);
      }
    }
  }

  @Override
  public boolean add(String key) {
    return set(hasher.hash(key));
  }

  @Override
  public boolean add(long key) {
    return set(hasher.hash(key));
  }

  @Override
  public int addAll(String[] keys, int count) {
    Objects.checkFromIndexSize(0, count, keys.length);
    long[] hashes = new long[Math.min(count, BATCH)];
    int changed = 0;
    for (int from = 0; from < count; from += BATCH) {
      int size = hash(keys, from, count, hashes);
      for (int i = 0; i < size; i++) {
        if (set(hashes[i])) {
          changed++;
        }
      }
    }
    return changed;
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

  @Override
  public BlockedFilter copy() {
    BlockedFilter copy = new BlockedFilter(shape, hasher);
    long set = 0;
    for (int i = 0; i < words.length; i++) {
      long word = read(i);
      copy.words[i] = word;
      set += Long.bitCount(word);
    }
    copy.bitsSet.add(set);
    return copy;
  }

  /** Writes every word, big-endian. */
  @Override
  public void writeBits(OutputStream out) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    for (long from = 0; from < words(); from += buffer.position() / Long.BYTES) {
      buffer.clear();
      readWords(from, buffer);
      out.write(buffer.array(), 0, buffer.position());
    }
  }

  /** How many 64-bit words the image has. */
  public long words() {
    return words.length;
  }

  /** Word {@code index} of the image. */
  public long word(long index) {
    return read(Math.toIntExact(index));
  }

  /**
   * Puts words of the image, big-endian, into {@code target}, from {@code fromWord} on, until the
   * target has no room for another word or the image ends.
   */
  public void readWords(long fromWord, ByteBuffer target) {
    int from = Math.toIntExact(fromWord);
    int count = Math.min(target.remaining() / Long.BYTES, words.length - from);
    ByteOrder order = target.order();
    target.order(ByteOrder.BIG_ENDIAN);
    for (int i = from; i < from + count; i++) {
      target.putLong(read(i));
    }
    target.order(order);
  }

  /**
   * Sets the bits that are set in {@code source}, whole big-endian words that stand for those of
   * the image from {@code fromWord} on. No bit is cleared.
   *
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
      long mask = source.getLong();
      long before = mask == 0 ? 0 : (long) WORDS.getAndBitwiseOr(words, i, mask);
      set += Long.bitCount(mask & ~before);
    }
    source.order(order);
    bitsSet.add(set);
  }

  private int hash(String[] keys, int from, int count, long[] hashes) {
    int size = Math.min(count - from, hashes.length);
    for (int i = 0; i < size; i++) {
      hashes[i] = hasher.hash(keys[from + i]);
    }
    return size;
  }

  private boolean test(long hash) {
    int block = firstWord(hash);
    int draws = geometry.hashes();
    int poolDraws = geometry.poolDraws();
    for (int round = 0; draws > 0; round++, draws -= poolDraws) {
      long pool = BlockGeometry.pool(hash, round);
      for (int i = Math.min(draws, poolDraws); i > 0; i--) {
        int position = geometry.position(pool);
        if ((read(block + (position >>> 6)) >>> position & 1) == 0) {
          return false;
        }
        pool = geometry.next(pool);
      }
    }
    return true;
  }

  private boolean set(long hash) {
    int block = firstWord(hash);
    int changed = 0;
    int draws = geometry.hashes();
    int poolDraws = geometry.poolDraws();
    for (int round = 0; draws > 0; round++, draws -= poolDraws) {
      long pool = BlockGeometry.pool(hash, round);
      for (int i = Math.min(draws, poolDraws); i > 0; i--) {
        int position = geometry.position(pool);
        int word = block + (position >>> 6);
        long bit = 1L << position;
        // Most bits of a filled filter are there already; a read is cheaper than an atomic write.
        if ((read(word) & bit) == 0
            && ((long) WORDS.getAndBitwiseOr(words, word, bit) & bit) == 0) {
          changed++;
        }
        pool = geometry.next(pool);
      }
    }
    if (changed > 0) {
      bitsSet.add(changed);
    }
    return changed > 0;
  }

  private int firstWord(long hash) {
    return (int) (geometry.blockIndex(hash) * geometry.blockWords());
  }

  private long read(int word) {
    return (long) WORDS.getOpaque(words, word);
  }
}

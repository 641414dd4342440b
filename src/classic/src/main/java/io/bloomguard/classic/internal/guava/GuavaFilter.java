package io.bloomguard.classic.internal.guava;

import com.google.common.hash.BloomFilter;
import com.google.common.io.ByteStreams;
import io.bloomguard.filter.CorruptFilterException;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyForm;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.KeyFunnel;
import io.bloomguard.filter.internal.MembershipFilter;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Guava's own {@code BloomFilter}, by default over the UTF-8 form of keys.
 *
 * <p>Its bits are Guava's serial form, so other programs with Guava read and write them with the
 * same {@link KeyFunnel}. Its hash is public: an attacker can make keys that pass. A filter for a
 * hundred keys or fewer can exceed a small p several times.
 *
 * @param shape the dimensions
 * @param folding the rule by which keys are equal
 * @param funnel the funnel of its keys
 * @param filter its bits
 */
public record GuavaFilter(
    FilterShape shape, KeyFolding folding, KeyFunnel funnel, BloomFilter<Object> filter)
    implements MembershipFilter {

  /** Guava's number of MURMUR128_MITZ_64, the strategy of every filter it makes today. */
  private static final byte STRATEGY = 1;

  /** Guava's number of MURMUR128_MITZ_32, the strategy of filters made before Guava 17. */
  private static final byte FIRST_STRATEGY = 0;

  /** Strategy, k, and the number of 64-bit words. */
  private static final int HEADER_BYTES = 6;

  /** The locks of all filters, by key, each held for the writes of one key. */
  private static final ReentrantLock[] PUTTING = new ReentrantLock[256];

  static {
    Arrays.setAll(PUTTING, i -> new ReentrantLock());
  }

  /**
   * {@return an empty filter of text, without a folding}
   *
   * @param shape the dimensions, with those m and k that Guava computes
   * @throws IllegalArgumentException if the shape is not the one that Guava makes for its n and p
   */
  public static GuavaFilter create(FilterShape shape) {
    return create(shape, KeyFolding.EXACT, KeyFunnel.STRING_UTF8);
  }

  /**
   * {@return an empty filter for keys with that folding and that funnel}
   *
   * @param shape the dimensions, with those m and k that Guava computes
   * @param folding the rule by which keys are equal
   * @param funnel the funnel of its keys
   * @throws IllegalArgumentException if the shape is not the one that Guava makes for its n and p
   */
  public static GuavaFilter create(FilterShape shape, KeyFolding folding, KeyFunnel funnel) {
    FilterShape made =
        Sizing.shape(Layout.GUAVA, shape.expectedInsertions(), shape.falsePositiveProbability());
    if (!made.equals(shape)) {
      throw new IllegalArgumentException("The shape is " + shape + ", but Guava makes " + made);
    }
    return new GuavaFilter(
        shape,
        folding,
        funnel,
        BloomFilter.create(
            GuavaKeys.of(funnel), shape.expectedInsertions(), shape.falsePositiveProbability()));
  }

  /**
   * Reads Guava's serial form of any m, k and strategy, which must be the whole input.
   *
   * @param in the stream, at the begin of the form
   * @param bytes the length of the form
   * @param mostBytes the most bytes of bits that are read; none are read beyond it
   * @param configured supplies n and p, which the form lacks
   * @param folding the rule by which keys are equal
   * @param funnel the funnel that filled the filter
   * @return a filter with the bits of the form, of the form's m and k
   * @throws CorruptFilterException if it is no such form, truncated, longer or too large
   */
  public static GuavaFilter readWhole(
      InputStream in,
      long bytes,
      long mostBytes,
      FilterShape configured,
      KeyFolding folding,
      KeyFunnel funnel)
      throws IOException {
    byte[] header = in.readNBytes(HEADER_BYTES);
    if (header.length < HEADER_BYTES) {
      throw new CorruptFilterException("Guava's serial form is truncated in its header");
    }
    if (header[0] != STRATEGY && header[0] != FIRST_STRATEGY) {
      throw new CorruptFilterException(
          "The strategy of Guava's serial form is " + header[0] + ", expected 0 or 1");
    }
    int hashes = header[1] & 0xff;
    int words = ByteBuffer.wrap(header).getInt(2);
    if (hashes == 0 || words < 1 || words > FilterShape.MAX_WORDS) {
      throw new CorruptFilterException(
          "Guava's serial form has " + hashes + " hashes and " + words + " words");
    }
    long body = (long) words * Long.BYTES;
    if (bytes != HEADER_BYTES + body) {
      throw new CorruptFilterException(
          "Guava's serial form has "
              + bytes
              + " bytes, expected "
              + (HEADER_BYTES + body)
              + (bytes < HEADER_BYTES + body ? ": it is truncated" : ""));
    }
    if (body > mostBytes) {
      throw new CorruptFilterException(
          "Its bits have " + body + " bytes, more than the " + mostBytes + " that may be read");
    }
    FilterShape shape =
        new FilterShape(
            Layout.GUAVA,
            configured.expectedInsertions(),
            configured.falsePositiveProbability(),
            words * (long) Long.SIZE,
            0,
            hashes);
    return new GuavaFilter(shape, folding, funnel, body(header, in, body, funnel));
  }

  private static BloomFilter<Object> body(
      byte[] header, InputStream in, long bytes, KeyFunnel funnel) throws CorruptFilterException {
    InputStream body = new BufferedInputStream(ByteStreams.limit(in, bytes));
    try {
      return BloomFilter.readFrom(
          new SequenceInputStream(new ByteArrayInputStream(header), body), GuavaKeys.of(funnel));
    } catch (IOException e) {
      throw new CorruptFilterException("Guava's serial form is truncated or damaged", e);
    }
  }

  @Override
  public KeyForm keyForm() {
    return funnel.form();
  }

  @Override
  public boolean mightContain(String key) {
    return filter.mightContain(GuavaKeys.element(funnel, folding.widest(key)));
  }

  @Override
  public boolean mightContain(long key) {
    return filter.mightContain(GuavaKeys.element(funnel, key));
  }

  @Override
  public void mightContainAll(String[] keys, int count, boolean[] answers) {
    Objects.checkFromIndexSize(0, count, Math.min(keys.length, answers.length));
    for (int i = 0; i < count; i++) {
      answers[i] = mightContain(keys[i]);
    }
  }

  @Override
  public void mightContainAll(long[] keys, int count, boolean[] answers) {
    Objects.checkFromIndexSize(0, count, Math.min(keys.length, answers.length));
    for (int i = 0; i < count; i++) {
      answers[i] = mightContain(keys[i]);
    }
  }

  @Override
  public boolean add(String key) {
    return put(GuavaKeys.element(funnel, folding.widest(key)));
  }

  @Override
  public boolean add(long key) {
    return put(GuavaKeys.element(funnel, key));
  }

  /** Guava sets bit by bit: two simultaneous puts of one key could each change some bits. */
  private boolean put(Object key) {
    if (filter.mightContain(key)) {
      return false;
    }
    // An array's own hash code is that of the object, not of the key.
    int hash = key instanceof byte[] bytes ? Arrays.hashCode(bytes) : key.hashCode();
    ReentrantLock lock = PUTTING[hash & PUTTING.length - 1];
    lock.lock();
    try {
      return filter.put(key);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int hashWords() {
    return 2;
  }

  @Override
  public void hash(String key, long[] hash) {
    GuavaKeys.hash(GuavaKeys.element(funnel, folding.widest(key)), GuavaKeys.of(funnel), hash);
  }

  @Override
  public boolean addHash(long[] hashes, int at) {
    return put(GuavaKeys.withHash(hashes[at], hashes[at + 1]));
  }

  /** The k-th root of Guava's {@code expectedFpp}, which is the fill ratio to the power of k. */
  @Override
  public double fillRatio() {
    return Math.pow(filter.expectedFpp(), 1.0 / shape.hashes());
  }

  @Override
  public long estimatedElements() {
    return shape.estimateElements(Math.round(fillRatio() * shape.bits()));
  }

  @Override
  public double expectedFalsePositiveProbability() {
    return filter.expectedFpp();
  }

  /** Writes Guava's serial form. */
  void writeBits(OutputStream out) throws IOException {
    filter.writeTo(out);
  }
}

package io.bloomguard.filter.internal;

import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The way of many keys into a blocked filter that no check reads yet.
 *
 * <p>The blocks are cut into ranges that fit a core's cache. Each thread gathers hashes by range in
 * a {@link Lane} of its own and sets those of one range together, so that memory is touched range
 * by range and not key by key (a radix partition, as in Manegold, Boncz and Kersten, "Optimizing
 * Main-Memory Join on Modern Hardware", 2002). A range is written under its lock and so without
 * atomic instructions. Memory does not grow with the number of keys.
 *
 * <p>Any thread may {@link #add} a key meanwhile, and after {@link #finish} as well.
 */
public final class BlockedFill {

  /** The size of a range, unless that makes too many ranges: it fits into second-level caches. */
  private static final long RANGE_BYTES = 1 << 16;

  private static final int MOST_RANGES = 512;

  /**
   * Hashes of one range that are set together: four for each of the smallest range's cache lines,
   * so that a line is fetched once for several keys.
   */
  private static final int GATHERED = 4096;

  /**
   * The distance from one range's hashes to the next one's: a cache line more than a power of two,
   * because otherwise the ends of all ranges' hashes would compete for the same few lines of the
   * first-level cache.
   */
  private static final int STRIDE = GATHERED + 8;

  private final BlockedFilter filter;
  private final Blocks bits;
  private final int rangeShift;
  private final Range[] ranges;

  /**
   * A fill of {@code filter}, which no other code writes or reads until {@link #finish}.
   *
   * @param filter the filter to fill
   */
  public BlockedFill(BlockedFilter filter) {
    this.filter = filter;
    this.bits = filter.bits();
    long blocks = bits.size() / bits.geometry().imageWords();
    long blockBytes = bits.geometry().imageWords() * (long) Long.BYTES;
    int shift = 0;
    while (blockBytes << shift < RANGE_BYTES || (blocks - 1 >>> shift) >= MOST_RANGES) {
      shift++;
    }
    this.rangeShift = shift;
    this.ranges = new Range[(int) (blocks - 1 >>> shift) + 1];
    Arrays.setAll(ranges, i -> new Range());
  }

  /** {@return a way into this fill for one thread} */
  public Lane lane() {
    return new Lane();
  }

  /**
   * Adds one key at once. Called by any thread.
   *
   * @param key a canonical key
   * @return whether at least one bit changed
   */
  public boolean add(String key) {
    return addHash(filter.hasher().hash(key));
  }

  /**
   * Adds a key by a hash that the filter's hasher computed.
   *
   * @param hash the hash of a key
   * @return whether at least one bit changed
   */
  public boolean addHash(long hash) {
    long salted = bits.geometry().salted(hash);
    Range range = ranges[range(salted)];
    range.lock.lock();
    try {
      return range.finished ? filter.addHash(hash) : bits.setAlone(salted);
    } finally {
      range.lock.unlock();
    }
  }

  /**
   * Ends the fill, after every lane was flushed, and counts the bits that it has set. From now on
   * the filter may be written, and read by threads that get it from this one.
   */
  public void finish() {
    long words = bits.geometry().imageWords() * (1L << rangeShift);
    for (int i = 0; i < ranges.length; i++) {
      ranges[i].lock.lock();
      try {
        filter.countBits(i * words, Math.min(words, bits.size() - i * words));
        ranges[i].finished = true;
      } finally {
        ranges[i].lock.unlock();
      }
    }
  }

  private int range(long salted) {
    return (int) (bits.geometry().saltedBlock(salted) >>> rangeShift);
  }

  /** A run of blocks. The holder of the lock has them for itself until the fill is finished. */
  private static final class Range {

    private final ReentrantLock lock = new ReentrantLock();
    private boolean finished;
  }

  /** The salted hashes that one thread has gathered. */
  public final class Lane {

    private final long[] gathered = new long[ranges.length * STRIDE];
    private final int[] counts = new int[ranges.length];
    private final long[] touched = new long[GATHERED];

    private Lane() {}

    /**
     * Adds the key with a hash that the filter's hasher computed; {@link #flush} makes it visible.
     *
     * @param hash the hash of a key
     */
    public void addHash(long hash) {
      long salted = bits.geometry().salted(hash);
      int range = range(salted);
      int count = counts[range];
      gathered[range * STRIDE + count] = salted;
      if (++count == GATHERED) {
        set(range, count);
        count = 0;
      }
      counts[range] = count;
    }

    /** Sets the bits of all gathered hashes. */
    public void flush() {
      for (int range = 0; range < counts.length; range++) {
        set(range, counts[range]);
        counts[range] = 0;
      }
    }

    private void set(int range, int count) {
      int from = range * STRIDE;
      ranges[range].lock.lock();
      try {
        // These reads are independent, so the memory serves many at once.
        for (int i = from; i < from + count; i++) {
          touched[i - from] = bits.touch(gathered[i]);
        }
        for (int i = from; i < from + count; i++) {
          bits.setAlone(gathered[i]);
        }
      } finally {
        ranges[range].lock.unlock();
      }
    }
  }
}

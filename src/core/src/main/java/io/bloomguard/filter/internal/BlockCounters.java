package io.bloomguard.filter.internal;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The counters of a counting filter, four bits each: the number of keys that have set a position,
 * or 15 for 15 or more (Fan, Cao, Almeida and Broder, "Summary Cache", 2000, which also shows why
 * four bits are enough).
 *
 * <p>Counter 0 is in the highest four bits of the first word, as {@code BITFIELD GET u4 #0} reads
 * it in Redis. A counter that has reached 15 stays there, because the number of its keys is no
 * longer known. Positions that a key has twice count once.
 *
 * <p>All counters of a key lie in one block, so a change of them holds the lock of a stripe of
 * blocks: additions and removals of keys of one block happen one after the other, and a removal
 * finds all counters of its key above 0 or changes none. Checks take no lock: at every moment each
 * counter is at least the number of completely added keys that have that position.
 */
final class BlockCounters extends Blocks {

  /** The most locks of a filter: enough to make contention rare. */
  private static final int MOST_STRIPES = 256;

  private final Stripe[] stripes;
  private final long blocks;

  /** Zero counters of a shape with the layout {@link Layout#COUNTING}. */
  BlockCounters(FilterShape shape, long salt) {
    super(shape, salt);
    this.blocks = size() / geometry.imageWords();
    this.stripes = new Stripe[(int) Math.min(MOST_STRIPES, blocks)];
    Arrays.setAll(stripes, i -> new Stripe(geometry.imageWords()));
  }

  @Override
  boolean test(long hash) {
    int block = firstWord(hash);
    if (geometry.blockWords() == 1) {
      for (long mask = geometry.wordMask(hash); mask != 0; mask &= mask - 1) {
        if (isZero(block, Long.numberOfTrailingZeros(mask))) {
          return false;
        }
      }
      return true;
    }
    int draws = geometry.hashes();
    int poolDraws = geometry.poolDraws();
    for (int round = 0; draws > 0; round++, draws -= poolDraws) {
      long pool = BlockGeometry.pool(hash, round);
      for (int i = Math.min(draws, poolDraws); i > 0; i--) {
        if (isZero(block, geometry.position(pool))) {
          return false;
        }
        pool = geometry.next(pool);
      }
    }
    return true;
  }

  private boolean isZero(int block, int position) {
    return (read(block + (position >>> 4)) << ((position & 15) << 2) >>> 60) == 0;
  }

  @Override
  int set(long hash) {
    Stripe stripe = stripe(geometry.saltedBlock(hash));
    stripe.lock();
    try {
      long[] masks = stripe.masks;
      geometry.saltedImageMasks(hash, masks);
      int block = firstWord(hash);
      int fresh = 0;
      for (int i = 0; i < masks.length; i++) {
        if (masks[i] != 0) {
          long before = read(block + i);
          write(block + i, before + (masks[i] & ~full(before)));
          fresh += Long.bitCount(masks[i] & ~geometry.present(before));
        }
      }
      return fresh;
    } finally {
      stripe.unlock();
    }
  }

  /** Takes the lock nevertheless: two ranges of blocks may share a stripe. */
  @Override
  boolean setAlone(long hash) {
    return set(hash) > 0;
  }

  @Override
  int unset(long hash) {
    Stripe stripe = stripe(geometry.saltedBlock(hash));
    stripe.lock();
    try {
      long[] masks = stripe.masks;
      geometry.saltedImageMasks(hash, masks);
      int block = firstWord(hash);
      for (int i = 0; i < masks.length; i++) {
        if ((masks[i] & ~geometry.present(read(block + i))) != 0) {
          return -1;
        }
      }
      int cleared = 0;
      boolean changed = false;
      for (int i = 0; i < masks.length; i++) {
        long before = read(block + i);
        long taken = masks[i] & ~full(before);
        if (taken != 0) {
          changed = true;
          write(block + i, before - taken);
          cleared += Long.bitCount(taken & ~geometry.present(before - taken));
        }
      }
      return changed ? cleared : -1;
    } finally {
      stripe.unlock();
    }
  }

  /** Adds the counters one by one, up to 15. */
  @Override
  int merge(int index, long word) {
    Stripe stripe = stripe(index / geometry.imageWords());
    stripe.lock();
    try {
      long before = get(index);
      long sum = 0;
      for (int shift = 0; shift < Long.SIZE; shift += 4) {
        long both = (before >>> shift & 15) + (word >>> shift & 15);
        sum |= Math.min(both, 15) << shift;
      }
      write(PADDING + index, sum);
      return Long.bitCount(geometry.present(sum) & ~geometry.present(before));
    } finally {
      stripe.unlock();
    }
  }

  /** The lowest bit of each counter that is 15. */
  private static long full(long word) {
    long pairs = word & word >>> 1;
    return pairs & pairs >>> 2 & BlockGeometry.COUNTER_ONES;
  }

  /**
   * The stripe of a block. Neighbouring blocks share one, so that threads that fill ranges rarely
   * contend.
   */
  private Stripe stripe(long block) {
    return stripes[(int) (block * stripes.length / blocks)];
  }

  /** Writes in opaque mode, so that a check on another thread reads a whole word. */
  private void write(int word, long value) {
    WORDS.setOpaque(words, word, value);
  }

  /** The lock of some blocks, with the buffer for the masks of a key under it. */
  private static final class Stripe extends ReentrantLock {

    private static final long serialVersionUID = 1L;

    private final transient long[] masks;

    Stripe(int words) {
      this.masks = new long[words];
    }
  }
}

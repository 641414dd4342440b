package io.bloomguard.filter.internal;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/** The bits of a blocked filter, and the tests and changes of the bits of a hash. */
final class BlockBits extends Blocks {

  /** The bits of a position in a block of eight words, and the number of positions in a pool. */
  private static final int LINE_POSITION_BITS = 9;

  private static final int LINE_DRAWS = Long.SIZE / LINE_POSITION_BITS;

  /** The locks of all filters, by block, each held for the few writes of one key. */
  private static final ReentrantLock[] SETTING = new ReentrantLock[256];

  static {
    Arrays.setAll(SETTING, i -> new ReentrantLock());
  }

  /** Clear bits of a shape with the layout {@link Layout#BLOCKED}. */
  BlockBits(FilterShape shape, long salt) {
    super(shape, salt);
  }

  @Override
  int merge(int index, long word) {
    return setBits(PADDING + Objects.checkIndex(index, size()), word);
  }

  @Override
  boolean test(long hash) {
    return switch (geometry.blockWords()) {
      case 1 -> testWord(hash);
      case 8 -> testLine(hash);
      default -> testBlock(hash);
    };
  }

  private boolean testWord(long hash) {
    long mask = geometry.wordMask(hash);
    return (read(firstWord(hash)) & mask) == mask;
  }

  /**
   * A block of eight words. Its first three draws are tested at once: one branch that an absent key
   * takes seven times out of eight in place of three unpredictable ones.
   */
  private boolean testLine(long hash) {
    int draws = geometry.hashes();
    if (draws < 3) {
      return testBlock(hash);
    }
    int block = firstWord(hash);
    long pool = BlockGeometry.pool(hash, 0);
    long set = drawn(block, pool);
    set &= drawn(block, pool >>> LINE_POSITION_BITS);
    set &= drawn(block, pool >>> 2 * LINE_POSITION_BITS);
    if ((set & 1) == 0) {
      return false;
    }
    // The same for every key of a filter, so these branches are predicted, unlike a loop's end.
    if (draws > 3) {
      set &= drawn(block, pool >>> 3 * LINE_POSITION_BITS);
    }
    if (draws > 4) {
      set &= drawn(block, pool >>> 4 * LINE_POSITION_BITS);
    }
    if (draws > 5) {
      set &= drawn(block, pool >>> 5 * LINE_POSITION_BITS);
    }
    if (draws > 6) {
      set &= drawn(block, pool >>> 6 * LINE_POSITION_BITS);
    }
    return (set & 1) != 0 && (draws <= LINE_DRAWS || testLineFurther(hash, block));
  }

  private boolean testLineFurther(long hash, int block) {
    int draws = geometry.hashes() - LINE_DRAWS;
    for (int round = 1; draws > 0; round++, draws -= LINE_DRAWS) {
      long pool = BlockGeometry.pool(hash, round);
      for (int i = Math.min(draws, LINE_DRAWS); i > 0; i--) {
        if ((drawn(block, pool) & 1) == 0) {
          return false;
        }
        pool >>>= LINE_POSITION_BITS;
      }
    }
    return true;
  }

  /** The word of a pool's next position, shifted so that the position's bit is lowest. */
  private long drawn(int block, long pool) {
    return read(block + ((int) pool >>> 6 & 7)) >>> pool;
  }

  private boolean testBlock(long hash) {
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

  /**
   * Sets the bits of a hash. Returns how many changed. Of several calls with one hash at most one
   * changes any bit: the words of a block are set under a lock that every writer of its keys takes,
   * because otherwise two writers could each change one word. Tests take no lock.
   */
  @Override
  int set(long hash) {
    int block = firstWord(hash);
    if (geometry.blockWords() == 1) {
      return setBits(block, geometry.wordMask(hash));
    }
    if (test(hash)) {
      return 0;
    }
    ReentrantLock lock = SETTING[(int) geometry.saltedBlock(hash) & SETTING.length - 1];
    lock.lock();
    try {
      return setBlock(block, hash);
    } finally {
      lock.unlock();
    }
  }

  private int setBlock(int block, long hash) {
    int changed = 0;
    int draws = geometry.hashes();
    int poolDraws = geometry.poolDraws();
    for (int round = 0; draws > 0; round++, draws -= poolDraws) {
      long pool = BlockGeometry.pool(hash, round);
      for (int i = Math.min(draws, poolDraws); i > 0; i--) {
        int position = geometry.position(pool);
        changed += setBits(block + (position >>> 6), 1L << position);
        pool = geometry.next(pool);
      }
    }
    return changed;
  }

  private int setBits(int word, long mask) {
    // Most bits of a filled filter are set already; a read is cheaper than an atomic write.
    long missing = mask & ~read(word);
    return missing == 0
        ? 0
        : Long.bitCount(missing & ~(long) WORDS.getAndBitwiseOr(words, word, missing));
  }

  /** Sets the bits without atomic instructions. */
  @Override
  boolean setAlone(long hash) {
    int block = firstWord(hash);
    if (geometry.blockWords() == 1) {
      return setBitsAlone(block, geometry.wordMask(hash));
    }
    if (geometry.blockWords() == 8) {
      return setLineAlone(block, hash);
    }
    boolean changed = false;
    int draws = geometry.hashes();
    int poolDraws = geometry.poolDraws();
    for (int round = 0; draws > 0; round++, draws -= poolDraws) {
      long pool = BlockGeometry.pool(hash, round);
      for (int i = Math.min(draws, poolDraws); i > 0; i--) {
        int position = geometry.position(pool);
        changed |= setBitsAlone(block + (position >>> 6), 1L << position);
        pool = geometry.next(pool);
      }
    }
    return changed;
  }

  /** A block of eight words: constants in place of the geometry's fields make it twice as fast. */
  private boolean setLineAlone(int block, long hash) {
    long missing = 0;
    int draws = geometry.hashes();
    for (int round = 0; draws > 0; round++, draws -= LINE_DRAWS) {
      long pool = BlockGeometry.pool(hash, round);
      missing |= setDrawnAlone(block, pool);
      if (draws > 1) {
        missing |= setDrawnAlone(block, pool >>> LINE_POSITION_BITS);
      }
      if (draws > 2) {
        missing |= setDrawnAlone(block, pool >>> 2 * LINE_POSITION_BITS);
      }
      if (draws > 3) {
        missing |= setDrawnAlone(block, pool >>> 3 * LINE_POSITION_BITS);
      }
      if (draws > 4) {
        missing |= setDrawnAlone(block, pool >>> 4 * LINE_POSITION_BITS);
      }
      if (draws > 5) {
        missing |= setDrawnAlone(block, pool >>> 5 * LINE_POSITION_BITS);
      }
      if (draws > 6) {
        missing |= setDrawnAlone(block, pool >>> 6 * LINE_POSITION_BITS);
      }
    }
    return missing != 0;
  }

  /** Sets a pool's next position; not zero if that changed a bit. */
  private long setDrawnAlone(int block, long pool) {
    int word = block + ((int) pool >>> 6 & 7);
    long before = words[word];
    long after = before | 1L << pool;
    words[word] = after;
    return before ^ after;
  }

  private boolean setBitsAlone(int word, long mask) {
    long before = words[word];
    words[word] = before | mask;
    return (mask & ~before) != 0;
  }

  /** Unsupported: a bit does not show how many keys have set it. */
  @Override
  int unset(long hash) {
    return -1;
  }
}

package io.bloomguard.filter;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/** The bits of a blocked filter, and the tests and changes of those that belong to a hash. */
final class BlockBits {

  private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

  /**
   * Words before the image. Collectors put a large array at a boundary of their own (G1 a region,
   * ZGC a page), and its elements follow a header of 16 bytes: six words later a cache line begins,
   * and so does the first block.
   */
  private static final int PADDING = 6;

  /** Bits of a position in a block of eight words, and how many of them a pool has. */
  private static final int LINE_POSITION_BITS = 9;

  private static final int LINE_DRAWS = Long.SIZE / LINE_POSITION_BITS;

  /** Of all filters, by block, each held for the few writes of one key. */
  private static final ReentrantLock[] SETTING = new ReentrantLock[256];

  static {
    Arrays.setAll(SETTING, i -> new ReentrantLock());
  }

  private final BlockGeometry geometry;
  private final long[] words;

  /** Clear bits of a shape with the layout {@link Layout#BLOCKED}. */
  BlockBits(FilterShape shape) {
    this.geometry = new BlockGeometry(shape);
    this.words = new long[Math.toIntExact(PADDING + shape.bits() / Long.SIZE)];
  }

  BlockGeometry geometry() {
    return geometry;
  }

  /** How many 64-bit words there are. */
  int size() {
    return words.length - PADDING;
  }

  /** Word {@code index}. */
  long get(int index) {
    return read(PADDING + Objects.checkIndex(index, size()));
  }

  /** Sets the bits of {@code mask} in word {@code index}. Returns how many changed. */
  int or(int index, long mask) {
    return setBits(PADDING + Objects.checkIndex(index, size()), mask);
  }

  /** Some word of the block of a hash: to read it brings the block into the caches. */
  long touch(long hash) {
    return read(firstWord(hash));
  }

  /** False if at least one bit of a hash is clear. */
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
   * takes seven times out of eight in place of three that nobody can predict.
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
    // The same for every key of a filter, so these branches are foreseen, as a loop's end is not.
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

  /** The word of the position that comes next in a pool, that position's bit lowest. */
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
   * Sets the bits of a hash. Returns how many changed. Of those that call it with one hash at most
   * one changes any: the words of a block are set under a lock that all who set its keys take, for
   * else two could each change one word. Those that test take none.
   */
  int set(long hash) {
    int block = firstWord(hash);
    if (geometry.blockWords() == 1) {
      return setBits(block, geometry.wordMask(hash));
    }
    if (test(hash)) {
      return 0;
    }
    ReentrantLock lock = SETTING[(int) geometry.blockIndex(hash) & SETTING.length - 1];
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
    // Most bits of a filled filter are there already; a read is cheaper than an atomic write.
    long missing = mask & ~read(word);
    return missing == 0
        ? 0
        : Long.bitCount(missing & ~(long) WORDS.getAndBitwiseOr(words, word, missing));
  }

  /**
   * Sets the bits of a hash without atomicity, for a writer that is alone with its block.
   *
   * @return true if at least one changed
   */
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

  /** Sets the position that comes next in a pool; not zero if that changed a bit. */
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

  /** How many bits of {@code size} words from {@code index} on are set. */
  long count(int index, int size) {
    long set = 0;
    for (int i = index; i < index + size; i++) {
      set += Long.bitCount(get(i));
    }
    return set;
  }

  private int firstWord(long hash) {
    return PADDING + (int) (geometry.blockIndex(hash) * geometry.blockWords());
  }

  private long read(int word) {
    return (long) WORDS.getOpaque(words, word);
  }
}

package io.bloomguard.filter.internal;

import io.bloomguard.filter.FilterShape;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * The places of a hash's bits in a blocked filter: a block, and k positions within it.
 *
 * <p>The block is the high word of hash x blocks (Lemire, "Fast Random Integer Generation in an
 * Interval", 2019). The positions are drawn from 64-bit pools; pool r is the mixed sum of the hash
 * and (r + 1) times the golden gamma, read from its low end in runs of log2(block bits). They are
 * drawn with repetition, except in a block of one word, where repetition would cost 3 to 4 % more
 * bits: there a repeated position is drawn again. The partition comes from a third mix. So the
 * three are independent: the partition says nothing about block and positions.
 *
 * <p>An image has a salt of its own, with which every hash is mixed before it has a block and
 * positions, so that the false positives of two images are different keys. The partition knows no
 * salt, because the images of a filter that are live at once share its journal. Salt 0 changes no
 * hash. A mix by one multiplication is enough: its high bits, which depend on all bits of hash and
 * salt, choose the block, and the pools are mixed further.
 *
 * <p>All of this is a persistent format, guarded by golden vectors.
 */
public final class BlockGeometry {

  private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

  /** The lowest bit of each counter of a word. */
  static final long COUNTER_ONES = 0x1111111111111111L;

  private static final long PARTITION_SALT = 0xd1b54a32d192ed03L;

  /** The odd factor of a salted hash: a bijection, so that two hashes never become one. */
  private static final long SALT_FACTOR = 0xd6e8feb86659fd93L;

  private final long salt;
  private final long blocks;
  private final int blockWords;
  private final int hashes;
  private final int counterBits;
  private final int positionBits;
  private final int poolDraws;

  /**
   * The places in an image without a salt.
   *
   * @param shape the shape of the image, of one partition
   * @throws IllegalArgumentException if the shape's layout has no blocks
   */
  public BlockGeometry(FilterShape shape) {
    this(shape, 0);
  }

  /**
   * The places in an image.
   *
   * @param shape the shape of the image, of one partition
   * @param salt the salt of the image, 0 for none
   * @throws IllegalArgumentException if the shape's layout has no blocks
   */
  public BlockGeometry(FilterShape shape, long salt) {
    if (!shape.layout().inBlocks()) {
      throw new IllegalArgumentException(
          "The layout is " + shape.layout() + ", but must have blocks");
    }
    this.salt = salt;
    this.blockWords = shape.blockWords();
    this.blocks = shape.bits() / (blockWords * 64L);
    this.hashes = shape.hashes();
    this.counterBits = shape.layout().counterBits();
    this.positionBits = 6 + Integer.numberOfTrailingZeros(blockWords);
    this.poolDraws = Long.SIZE / positionBits;
  }

  /** {@return a salt for a new image: random, and not 0} */
  public static long drawSalt() {
    SecureRandom random = new SecureRandom();
    long salt = 0;
    while (salt == 0) {
      salt = random.nextLong();
    }
    return salt;
  }

  /** {@return the salt of the image, 0 for none} */
  public long salt() {
    return salt;
  }

  /** The hash that has the block and the positions of a key in this image. */
  long salted(long hash) {
    return salt == 0 ? hash : (hash ^ salt) * SALT_FACTOR;
  }

  /** {@return the number of runs of 64 positions in a block: 1, 2, 4 or 8} */
  public int blockWords() {
    return blockWords;
  }

  /**
   * {@return the number of 64-bit words of a block in the image: each position is a bit, or a
   * counter of 4 bits}
   */
  public int imageWords() {
    return blockWords * counterBits;
  }

  /**
   * {@return the index of the block of a hash; its first word is this times {@link #imageWords}}
   *
   * @param hash the hash of a key
   */
  public long blockIndex(long hash) {
    return saltedBlock(salted(hash));
  }

  /** The block of a salted hash. */
  long saltedBlock(long salted) {
    return unsignedMultiplyHigh(salted, blocks);
  }

  /**
   * Fills {@code masks[0..blockWords)} with the bits of a hash, one mask for each word of its
   * block.
   *
   * @param hash the hash of a key
   * @param masks gets the masks; its further words are left as they are
   * @throws IndexOutOfBoundsException if {@code masks} is shorter than {@code blockWords}
   */
  public void masks(long hash, long[] masks) {
    saltedMasks(salted(hash), masks);
  }

  private void saltedMasks(long salted, long[] masks) {
    if (blockWords == 1) {
      masks[0] = wordMask(salted);
      return;
    }
    for (int i = 0; i < blockWords; i++) {
      masks[i] = 0;
    }
    int draws = hashes;
    for (int round = 0; draws > 0; round++) {
      long pool = pool(salted, round);
      for (int i = Math.min(draws, poolDraws); i > 0; i--, draws--) {
        int position = position(pool);
        masks[position >>> 6] |= 1L << position;
        pool = next(pool);
      }
    }
  }

  /**
   * Fills {@code masks[0..imageWords)} with the positions of a hash in the image: one bit for each,
   * the lowest of a counter.
   *
   * @param hash the hash of a key
   * @param masks gets the masks; its further words are left as they are
   * @throws IndexOutOfBoundsException if {@code masks} is shorter than {@code imageWords}
   */
  public void imageMasks(long hash, long[] masks) {
    saltedImageMasks(salted(hash), masks);
  }

  /** The same for a salted hash. */
  void saltedImageMasks(long salted, long[] masks) {
    if (counterBits == 1) {
      saltedMasks(salted, masks);
      return;
    }
    Arrays.fill(masks, 0, imageWords(), 0);
    if (blockWords == 1) {
      for (long mask = wordMask(salted); mask != 0; mask &= mask - 1) {
        markCounter(masks, Long.numberOfTrailingZeros(mask));
      }
      return;
    }
    int draws = hashes;
    for (int round = 0; draws > 0; round++) {
      long pool = pool(salted, round);
      for (int i = Math.min(draws, poolDraws); i > 0; i--, draws--) {
        markCounter(masks, position(pool));
        pool = next(pool);
      }
    }
  }

  /** Marks a counter; counter 0 is the highest of its word. */
  private static void markCounter(long[] masks, int position) {
    masks[position >>> 4] |= 1L << 60 - ((position & 15) << 2);
  }

  /**
   * {@return the index, among all positions of an image, of a bit in the mask of one of its words}
   *
   * @param word the index of the word in the image
   * @param bit the bit within the word, 0 to 63
   */
  public long position(long word, int bit) {
    return counterBits == 1 ? word * Long.SIZE + bit : (word << 4) + (60 - bit >>> 2);
  }

  /**
   * {@return the positions that are set in a word of an image: one bit for each, the lowest of a
   * counter}
   *
   * @param word a word of an image, with the whole of each counter
   */
  public long present(long word) {
    if (counterBits == 1) {
      return word;
    }
    long pairs = word | word >>> 1;
    return (pairs | pairs >>> 2) & COUNTER_ONES;
  }

  /** The bits of a salted hash in its block of one word: k distinct ones. */
  long wordMask(long salted) {
    long mask = 0;
    int left = hashes;
    for (int round = 0; ; round++) {
      long pool = pool(salted, round);
      for (int i = poolDraws; i > 0; i--) {
        long bit = 1L << pool;
        if ((mask & bit) == 0) {
          mask |= bit;
          if (--left == 0) {
            return mask;
          }
        }
        pool = next(pool);
      }
    }
  }

  /**
   * {@return the partition of a hash among {@code partitions}}
   *
   * @param hash the hash of a key
   * @param partitions the number of partitions, at least 1
   */
  public static int partition(long hash, int partitions) {
    return (int) unsignedMultiplyHigh(mix(hash ^ PARTITION_SALT), partitions);
  }

  /** The number of positions drawn for one key. */
  int hashes() {
    return hashes;
  }

  /** The number of positions that one pool yields. */
  int poolDraws() {
    return poolDraws;
  }

  /** The bits from which the positions from {@code round * poolDraws} on are drawn. */
  static long pool(long salted, int round) {
    return mix(salted + (round + 1) * GOLDEN_GAMMA);
  }

  /** The next position of a pool, 0 to the block's bits. */
  int position(long pool) {
    return (int) pool & ((1 << positionBits) - 1);
  }

  /** The pool after its next position was taken. */
  long next(long pool) {
    return pool >>> positionBits;
  }

  /** David Stafford's variant 13 of the MurmurHash3 finaliser, as in SplittableRandom. */
  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  /** The high 64 bits of the unsigned product; {@code factor} is never negative. */
  private static long unsignedMultiplyHigh(long hash, long factor) {
    return Math.multiplyHigh(hash, factor) + ((hash >> 63) & factor);
  }
}

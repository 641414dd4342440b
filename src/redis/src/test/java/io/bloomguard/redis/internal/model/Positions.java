package io.bloomguard.redis.internal.model;

/**
 * Which positions of an image each key has, and how far a position counts. An image's content is
 * one number with two bits a position.
 */
enum Positions {
  /** A bit a key. */
  BITS(1, 0b01, 0b10),
  /** A counter a key. */
  COUNTERS(3, 0b01, 0b10),
  /** The first key's counter is one of the second's: it passes wherever the second is in. */
  SHARED_COUNTERS(3, 0b01, 0b11);

  private static final int COUNT = World.KEYS;
  private static final int WIDTH = 2;
  private static final int MASK = (1 << WIDTH) - 1;

  /** What a position counts to. Of a full counter it is not known how many keys it stands for. */
  private final int full;

  private final int[] ofKey;

  Positions(int full, int... ofKey) {
    this.full = full;
    this.ofKey = ofKey;
  }

  boolean count() {
    return full > 1;
  }

  /** A content in which each of the keys is counted once. */
  int of(int keys) {
    return add(0, keys);
  }

  /** The content with each of the keys counted once more. */
  int add(int content, int keys) {
    int sum = content;
    for (int key = 0; key < World.KEYS; key++) {
      if ((keys & 1 << key) != 0) {
        sum = step(sum, key, 1, full);
      }
    }
    return sum;
  }

  /**
   * The content with a key counted once less, or as it is where a counter of the key is 0.
   *
   * @param fullToo whether full counters are counted down as others are
   */
  int remove(int content, int key, boolean fullToo) {
    return (keys(content) & 1 << key) == 0
        ? content
        : step(content, key, -1, fullToo ? full + 1 : full);
  }

  /** Counts the positions of a key that have not come to a bound. */
  private int step(int content, int key, int by, int bound) {
    int sum = content;
    for (int position = 0; position < COUNT; position++) {
      if ((ofKey[key] & 1 << position) != 0 && at(content, position) < bound) {
        sum += by << position * WIDTH;
      }
    }
    return sum;
  }

  /** The keys that pass. */
  int keys(int content) {
    int keys = 0;
    for (int key = 0; key < World.KEYS; key++) {
      boolean in = true;
      for (int position = 0; position < COUNT; position++) {
        in &= (ofKey[key] & 1 << position) == 0 || at(content, position) > 0;
      }
      keys |= in ? 1 << key : 0;
    }
    return keys;
  }

  /** The content with one position as it is in another. */
  static int copy(int content, int position, int from) {
    int mask = MASK << position * WIDTH;
    return (content & ~mask) | (from & mask);
  }

  private static int at(int content, int position) {
    return content >> position * WIDTH & MASK;
  }
}

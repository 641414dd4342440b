package io.bloomguard.autoconfigure;

import io.bloomguard.filter.Sizing;
import java.util.Locale;

/** Where filters, values, null entries and leases live. */
public enum Backend {

  /** On this process' heap. */
  LOCAL,

  /** In Redis, shared by all processes that use the same one. */
  REDIS,

  /** In a filter of the RedisBloom module or its kin. */
  REDIS_BLOOM,

  /** In plain bit strings in Redis, shared with other programs. */
  REDIS_BITMAP;

  /** What small blocks may cost: their bits over those of a filter without blocks. */
  private static final double MOST_BITS = 4.0 / 3;

  /** The number of keys for which sizes are compared; they do not depend on it. */
  private static final long MANY = 1_000_000;

  /**
   * The 64-bit words of a block that serve best at a false-positive probability: on the heap a
   * cache line; in Redis, where each word is read on its own, the fewest that do not cost too many
   * bits.
   */
  int blockWords(double falsePositiveProbability) {
    int words = this == REDIS ? 1 : Sizing.DEFAULT_BLOCK_WORDS;
    double most = MOST_BITS * Sizing.classicBits(MANY, falsePositiveProbability);
    while (words < Sizing.DEFAULT_BLOCK_WORDS
        && Sizing.blocked(MANY, falsePositiveProbability, words).bits() > most) {
      words *= 2;
    }
    return words;
  }

  /** The backend of that text. */
  static Backend of(String text) {
    return valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  /** Where the values and null entries of a filter are kept that lives here. */
  Backend ofCaches() {
    return this == LOCAL ? LOCAL : REDIS;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

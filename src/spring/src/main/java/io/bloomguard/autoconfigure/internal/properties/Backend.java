package io.bloomguard.autoconfigure.internal.properties;

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

  /** The 64-bit words of a block that serve best: on the heap a cache line, in Redis few. */
  int blockWords(double falsePositiveProbability) {
    return this == REDIS
        ? Sizing.fewestBlockWords(falsePositiveProbability)
        : Sizing.DEFAULT_BLOCK_WORDS;
  }

  /** The backend of that text. */
  public static Backend of(String text) {
    return valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  /** Where the values and null entries of a filter are kept that lives here. */
  public Backend ofCaches() {
    return this == LOCAL ? LOCAL : REDIS;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

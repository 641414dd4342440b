package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.filter.Sizing;
import java.util.Arrays;
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
  REDIS_BITMAP,

  /** In another system, by a {@code FilterBackend} of the application. */
  OTHER;

  /** The 64-bit words of a block that serve best: on the heap a cache line, in Redis few. */
  int blockWords(double falsePositiveProbability) {
    return this == REDIS
        ? Sizing.fewestBlockWords(falsePositiveProbability)
        : Sizing.DEFAULT_BLOCK_WORDS;
  }

  /** The backend of that name. */
  public static Backend of(String name) {
    String plain = name.replaceAll("[-_]", "");
    return Arrays.stream(values())
        .filter(own -> own != OTHER && own.toString().replace("-", "").equalsIgnoreCase(plain))
        .findFirst()
        .orElse(OTHER);
  }

  /** That name as it is documented, if it is one of ours. */
  static String text(String name) {
    return of(name) == OTHER ? name : of(name).toString();
  }

  /** Where the values and null entries of a filter are kept that lives in the backend of a name. */
  public static String ofCaches(String name) {
    return switch (of(name)) {
      case LOCAL -> LOCAL.toString();
      case REDIS, REDIS_BLOOM, REDIS_BITMAP -> REDIS.toString();
      case OTHER -> name;
    };
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

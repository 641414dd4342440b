package io.bloomguard.autoconfigure.internal.properties;

import java.util.List;

/** The names of the places in which filters, values, null entries and leases live. */
public final class Backend {

  /** On this process' heap. */
  public static final String LOCAL = "local";

  /** In Redis, shared by all processes that use the same one. */
  public static final String REDIS = "redis";

  /** In a filter of the RedisBloom module or its kin. */
  public static final String REDIS_BLOOM = "redis-bloom";

  /** In plain bit strings in Redis, shared with other programs. */
  public static final String REDIS_BITMAP = "redis-bitmap";

  /** Ours; every other name is that of a {@code FilterBackend} of the application. */
  public static final List<String> OURS = List.of(LOCAL, REDIS, REDIS_BLOOM, REDIS_BITMAP);

  private Backend() {}

  /** A name as it is documented, if it is one of ours. */
  static String named(String text) {
    String plain = text.replaceAll("[-_]", "");
    return OURS.stream()
        .filter(own -> own.replace("-", "").equalsIgnoreCase(plain))
        .findFirst()
        .orElse(text);
  }

  /** Where the values and null entries of a filter are kept that lives in the backend of a name. */
  public static String ofCaches(String name) {
    return name.equals(REDIS_BLOOM) || name.equals(REDIS_BITMAP) ? REDIS : name;
  }
}

package io.bloomguard.autoconfigure.internal.properties;

import java.time.Duration;

/** The rules of soft limits, for all caches and for those of one filter. */
final class RefreshRules {

  private RefreshRules() {}

  static void requireSoftTtl(String prefix, Duration softTtl) {
    DurationRules.requireNotNegative(
        prefix + ".soft-ttl", softTtl, "Set it to a duration shorter than ttl, or to 0 for none.");
  }

  /** A soft limit at or past the end would never be met. */
  static void requireShorter(String prefix, Duration softTtl, Duration ttl) {
    if (softTtl.compareTo(ttl) >= 0) {
      throw new InvalidBloomguardSettingException(
          prefix
              + ".soft-ttl is "
              + softTtl
              + ", but must be shorter than the ttl, which is "
              + ttl,
          "Set it to a part of the ttl, such as 8m of 10m, or to 0 for none.");
    }
  }
}

package io.bloomguard.autoconfigure;

import io.bloomguard.guard.RefreshSettings;
import java.time.Duration;

/** The rules of soft limits and early refreshes, for all caches and for those of one filter. */
final class RefreshRules {

  private RefreshRules() {}

  static void requireSoftTtl(String prefix, Duration softTtl) {
    DurationRules.requireNotNegative(
        prefix + ".soft-ttl", softTtl, "Set it to a duration shorter than ttl, or to 0 for none.");
  }

  static void requireBeta(String prefix, double beta) {
    if (!RefreshSettings.isBeta(beta)) {
      throw new InvalidBloomguardSettingException(
          prefix
              + ".refresh-beta is "
              + beta
              + ", but must be within [0, "
              + RefreshSettings.MAX_BETA
              + "]",
          "Set it to 1, or to 0 for no early refresh.");
    }
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

package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.guard.CacheSettings;
import java.time.Duration;

/** The bounds that every duration among the properties keeps. */
final class DurationRules {

  private static final Duration LONGEST = CacheSettings.LONGEST;

  private DurationRules() {}

  static void requirePositive(String property, Duration value, String action) {
    require(!value.isZero() && !value.isNegative(), property, value, "must be positive", action);
    requireBounded(property, value, action);
  }

  static void requireNotNegative(String property, Duration value, String action) {
    require(!value.isNegative(), property, value, "must not be negative", action);
    requireBounded(property, value, action);
  }

  private static void requireBounded(String property, Duration value, String action) {
    require(
        value.compareTo(LONGEST) <= 0,
        property,
        value,
        "must be at most " + LONGEST.toDays() + " days",
        action);
  }

  private static void require(
      boolean kept, String property, Duration value, String rule, String action) {
    if (!kept) {
      throw new InvalidBloomguardSettingException(
          property + " is " + value + ", but " + rule, action);
    }
  }
}

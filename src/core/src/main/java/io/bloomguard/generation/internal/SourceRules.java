package io.bloomguard.generation.internal;

import java.math.BigDecimal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A filter's expectations of its source. A build that breaks them is not published, because a
 * filter that lacks rows rejects them.
 *
 * @param addedOnly whether the filter is configured to have no source and to hold only added keys;
 *     any other filter without a source never serves an empty generation
 * @param minKeys the fewest keys that a build may have read, at least 0
 * @param maxShrink the share by which a build may have read fewer keys than the last published one,
 *     within [0, 1]
 * @param stall the longest time for which it may yield nothing during a reading, positive
 * @param maxUnusable the share of its keys that may break the key rules, within [0, 1]; no caller
 *     can ask for them, and a build skips them
 */
public record SourceRules(
    boolean addedOnly, long minKeys, double maxShrink, Duration stall, double maxUnusable) {

  private static final double DEFAULT_UNUSABLE = 0.001;

  private static final Duration DEFAULT_STALL = Duration.ofSeconds(60);

  /** The rules for a source that yields at least one key, and at least half as many as before. */
  public static final SourceRules DEFAULT = new SourceRules(false, 1, 0.5);

  /**
   * Rules with the default time for a source that yields nothing.
   *
   * @param addedOnly whether the filter is configured to have no source and to hold only added keys
   * @param minKeys the fewest keys that a build may have read, at least 0
   * @param maxShrink the share by which a build may have read fewer keys than the last published
   *     one, within [0, 1]
   */
  public SourceRules(boolean addedOnly, long minKeys, double maxShrink) {
    this(addedOnly, minKeys, maxShrink, DEFAULT_STALL);
  }

  /**
   * Rules with the default share of unusable keys.
   *
   * @param addedOnly whether the filter is configured to have no source and to hold only added keys
   * @param minKeys the fewest keys that a build may have read, at least 0
   * @param maxShrink the share by which a build may have read fewer keys than the last published
   *     one, within [0, 1]
   * @param stall the longest time for which it may yield nothing during a reading, positive
   */
  public SourceRules(boolean addedOnly, long minKeys, double maxShrink, Duration stall) {
    this(addedOnly, minKeys, maxShrink, stall, DEFAULT_UNUSABLE);
  }

  /**
   * Checks the bounds of each rule.
   *
   * @param addedOnly whether the filter is configured to have no source and to hold only added keys
   * @param minKeys the fewest keys that a build may have read, at least 0
   * @param maxShrink the share by which a build may have read fewer keys than the last published
   *     one, within [0, 1]
   * @param stall the longest time for which it may yield nothing during a reading, positive
   * @param maxUnusable the share of its keys that may break the key rules, within [0, 1]
   * @throws IllegalArgumentException naming the value and the rule it breaks
   */
  public SourceRules {
    if (stall.isNegative() || stall.isZero()) {
      throw new IllegalArgumentException("stall is " + stall + ", but must be positive");
    }
    if (minKeys < 0) {
      throw new IllegalArgumentException("min-keys is " + minKeys + ", but must be at least 0");
    }
    if (!(maxShrink >= 0 && maxShrink <= 1)) {
      throw new IllegalArgumentException(
          "max-shrink is " + maxShrink + ", but must be within [0, 1]");
    }
    if (!(maxUnusable >= 0 && maxUnusable <= 1)) {
      throw new IllegalArgumentException(
          "max-unusable is " + maxUnusable + ", but must be within [0, 1]");
    }
  }

  /** {@return these rules for a source that may yield any number of keys} */
  public SourceRules forced() {
    return new SourceRules(false, 0, 1, stall, maxUnusable);
  }

  /**
   * Whether a build may skip so many unusable keys of those that it read.
   *
   * @param unusable the number of unusable keys
   * @param read the number of keys that it read
   * @return true if it may
   */
  public boolean allowsUnusable(long unusable, long read) {
    return unusable <= maxUnusable * read;
  }

  /**
   * The rule that a build breaks, with the numbers and the property.
   *
   * @param read the number of keys that it read
   * @param before the number of keys that the last published build read, 0 if that is not known
   * @return the reason to refuse it, or null for none
   */
  public @Nullable String refusal(long read, long before) {
    if (read < minKeys) {
      return "The source yielded "
          + read
          + " keys, fewer than the "
          + minKeys
          + " of warm-up.min-keys";
    }
    // Exact, so that a share such as 0.29 of 100 is 29.
    BigDecimal allowed = BigDecimal.valueOf(maxShrink).multiply(BigDecimal.valueOf(before));
    if (BigDecimal.valueOf(before - read).compareTo(allowed) > 0) {
      return "The source yielded "
          + read
          + " keys, but "
          + before
          + " when the last generation was built: rebuild.max-shrink allows "
          + maxShrink
          + " fewer at most";
    }
    return null;
  }
}

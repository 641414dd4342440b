package io.bloomguard.aop.internal.method;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.internal.CacheOverrides;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** The cache settings of a guarded method's annotation. */
public final class CacheAttributes {

  private CacheAttributes() {}

  /**
   * Reads the settings.
   *
   * @throws StartRefusedException if a setting breaks its rule
   */
  public static CacheOverrides read(AnnotatedMethod<BloomGuarded> method) {
    BloomGuarded annotation = method.annotation();
    method.refuseIf(
        annotation.jitter() > 1 || Double.isNaN(annotation.jitter()),
        "has jitter = {}, which is not within [0, 1]",
        "Set it to a share of the lifetime, such as 0.2, or leave it out",
        annotation.jitter());
    return new CacheOverrides(
        duration(method, "ttl", annotation.ttl(), false),
        duration(method, "softTtl", annotation.softTtl(), true),
        duration(method, "nullTtl", annotation.nullTtl(), false),
        annotation.jitter() < 0 ? null : annotation.jitter(),
        annotation.maxNullEntries() < 0 ? null : annotation.maxNullEntries(),
        annotation.caching() == Caching.AUTO);
  }

  private static @Nullable Duration duration(
      AnnotatedMethod<BloomGuarded> method, String attribute, String text, boolean zero) {
    if (text.isEmpty()) {
      return null;
    }
    Duration duration = null;
    try {
      duration = DurationFormatterUtils.detectAndParse(text.trim());
    } catch (IllegalArgumentException e) {
      // The text is no duration: refused below, with the form of one.
    }
    boolean less = duration == null || duration.isNegative() || (duration.isZero() && !zero);
    if (duration == null || less || duration.compareTo(CacheSettings.LONGEST) > 0) {
      throw method.refuse(
          "has {} = \"{}\", which is {}",
          "Write it such as \"30s\", \"10m\" or \"1h\", or leave it out",
          attribute,
          text,
          !less
              ? "more than " + CacheSettings.LONGEST.toDays() + " days"
              : zero ? "no duration of 0 or more" : "no positive duration");
    }
    return duration;
  }

  /** Whether the annotation names a cache, or has settings for its entries. */
  public static boolean present(BloomGuarded annotation) {
    return !annotation.cache().isEmpty() || keepsValues(annotation) || keepsNulls(annotation);
  }

  private static boolean keepsValues(BloomGuarded annotation) {
    return !annotation.ttl().isEmpty() || !annotation.softTtl().isEmpty();
  }

  private static boolean keepsNulls(BloomGuarded annotation) {
    return !annotation.nullTtl().isEmpty()
        || annotation.jitter() >= 0
        || annotation.maxNullEntries() >= 0;
  }

  /**
   * Refuses attributes that would have no effect.
   *
   * @param values whether the method keeps values
   * @param nulls whether it keeps null entries
   */
  public static void requireUsed(
      AnnotatedMethod<BloomGuarded> method, boolean values, boolean nulls) {
    BloomGuarded annotation = method.annotation();
    method.refuseIf(
        !values && keepsValues(annotation),
        "says how values are kept, but keeps no values",
        "Leave ttl and softTtl out");
    method.refuseIf(
        !nulls && keepsNulls(annotation),
        "says how null entries are kept, but keeps none",
        "Leave nullTtl, jitter and maxNullEntries out");
  }
}

package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.Window;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The time that a filter remembers keys, in generations that pass by Redis' clock.
 *
 * @param length The time of one generation, at least 1s, such as 10m.
 * @param count How many generations are asked, 2 to 48; a key is remembered for length x (count -
 *     1) at least, and length x count at most.
 */
public record WindowProperties(@Nullable Duration length, @Nullable Integer count) {

  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final int FEWEST = 2;

  /** Every check asks every generation. */
  private static final int MOST = 48;

  /** The window's length and number of generations. Called once they are validated. */
  public Window window() {
    if (length == null || count == null) {
      throw new IllegalStateException("The window is not validated");
    }
    return new Window(length, count);
  }

  /** The dimensions of one generation of a window whose false-positive probability is {@code p}. */
  public FilterShape generation(FilterShape ofWindow) {
    return Sizing.blocked(
        ofWindow.expectedInsertions(),
        window().ofGeneration(ofWindow.falsePositiveProbability()),
        ofWindow.blockWords());
  }

  /** Refuses a window, and what only a window has, where it makes no sense. */
  static void validate(String filter, FilterProperties properties, Backend where) {
    WindowProperties window = properties.window();
    Double full = properties.rotateAtFill();
    BitmapProperties bitmap = properties.bitmap();
    if (full != null && where == Backend.REDIS_BITMAP && bitmap != null) {
      if (!bitmap.allowClear()) {
        throw new InvalidBloomguardSettingException(
            filter
                + ".rotate-at-fill is set, but "
                + filter
                + ".bitmap.allow-clear is not: it clears",
            "Set " + filter + ".bitmap.allow-clear: true if that may be, or leave it out.");
      }
    } else if (full != null && window == null) {
      throw new InvalidBloomguardSettingException(
          filter + ".rotate-at-fill is set, but the filter is neither a window nor a shared bitmap",
          "Leave it out, or set " + filter + ".window.length and .count.");
    }
    if (full != null && !(full > 0 && full <= 1)) {
      throw new InvalidBloomguardSettingException(
          filter + ".rotate-at-fill is " + full + ", but must be within (0, 1]",
          "Set it to a fill ratio such as 0.5, or leave it out.");
    }
    if (window != null) {
      window.validateAll(filter, properties, where);
    }
  }

  private void validateAll(String filter, FilterProperties properties, Backend where) {
    String prefix = filter + ".window";
    if (length == null || length.compareTo(SHORTEST) < 0) {
      throw new InvalidBloomguardSettingException(
          prefix
              + ".length is "
              + (length == null ? "not set" : length)
              + ", but must be at least 1s",
          "Set it to the time of one generation, such as 10m.");
    }
    if (count == null || count < FEWEST || count > MOST) {
      throw new InvalidBloomguardSettingException(
          prefix + ".count is " + (count == null ? "not set" : count) + ", but must be 2 to 48",
          "Set it to the number of generations, such as 6.");
    }
    if (where != Backend.REDIS) {
      throw new InvalidBloomguardSettingException(
          prefix
              + " is set, but the filter's backend is '"
              + where
              + "': a window goes by Redis' clock",
          "Set " + filter + ".backend: redis, or leave the window out.");
    }
    if (properties.layout() != Layout.BLOCKED) {
      throw new InvalidBloomguardSettingException(
          prefix
              + " is set, but a window has no layout '"
              + properties.layout().name().toLowerCase(Locale.ROOT)
              + "'",
          "Use the layout 'blocked', or leave the window out.");
    }
    if (properties.perSubject() != null) {
      throw new InvalidBloomguardSettingException(
          prefix + " is set, but the filter is one by subject, which has its own time",
          "Leave out " + filter + ".per-subject, or the window.");
    }
    if (properties.source().isSet()) {
      throw new InvalidBloomguardSettingException(
          prefix + " is set, but the filter has a source: a window holds only added keys",
          "Leave out the source, or the window.");
    }
    if (properties.replica().required()) {
      throw new InvalidBloomguardSettingException(
          filter + ".replica.enabled is true, but the filter is a window, of which no copy is kept",
          "Leave it out, or the window.");
    }
    if (properties.rebuild().isAtFillSet()) {
      throw new InvalidBloomguardSettingException(
          filter + ".rebuild.at-fill is set, but the filter is a window, which is never rebuilt",
          "Leave it out, or set " + filter + ".rotate-at-fill.");
    }
    requireRetention(filter, properties);
    requireRoom(filter, properties, where);
  }

  private void requireRetention(String filter, FilterProperties properties) {
    Duration retention = properties.rebuild().journalRetention();
    Duration least = window().least();
    if (least.compareTo(retention) < 0) {
      throw new InvalidBloomguardSettingException(
          filter
              + ".window remembers a key for as little as "
              + least
              + " (length x (count - 1)), which is shorter than rebuild.journal-retention, "
              + retention,
          "Raise "
              + filter
              + ".window.length or .count, or set .rebuild.journal-retention to the time for which an"
              + " added key must be remembered.");
    }
  }

  private void requireRoom(String filter, FilterProperties properties, Backend where) {
    try {
      generation(properties.shapeIn(where));
    } catch (IllegalArgumentException e) {
      throw new InvalidBloomguardSettingException(
          filter + ".window: of one generation, " + e.getMessage(),
          "Raise " + filter + ".false-positive-probability, which is that of the whole window.");
    }
  }
}

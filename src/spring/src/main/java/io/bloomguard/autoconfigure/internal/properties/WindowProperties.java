package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.Window;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The time that a filter remembers keys, in generations that pass by Redis' clock.
 *
 * @param length The time of one generation, at least 1s, such as 10m.
 * @param count How many generations are asked, 2 to 48; a key is remembered for length x (count -
 *     1) at least, and length x count at most.
 */
public record WindowProperties(@Nullable Duration length, @Nullable Integer count) {

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
}

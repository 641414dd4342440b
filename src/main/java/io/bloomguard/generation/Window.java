package io.bloomguard.generation;

import java.time.Duration;

/**
 * The time that a window filter remembers: {@code count} generations of {@code length} each, the
 * newest of which takes the adds.
 *
 * @param length the time of one generation, whole milliseconds, positive
 * @param count how many generations are asked, at least 2
 */
public record Window(Duration length, int count) {

  /**
   * @throws IllegalArgumentException naming the value and the rule it breaks
   */
  public Window {
    if (length.toMillis() < 1) {
      throw new IllegalArgumentException(
          "The length is " + length + ", but must be at least a millisecond");
    }
    if (count < 2) {
      throw new IllegalArgumentException("The count is " + count + ", but must be at least 2");
    }
  }

  /** The time that a key is remembered at most. */
  public Duration span() {
    return length.multipliedBy(count);
  }

  /** The time that a key is remembered at least: it may come at the end of its generation. */
  public Duration least() {
    return length.multipliedBy(count - 1L);
  }

  /**
   * The false-positive probability of one generation with which a window of full ones has {@code
   * ofWindow}: {@code 1 - (1 - p)^(1/count)}.
   */
  public double ofGeneration(double ofWindow) {
    return -Math.expm1(Math.log1p(-ofWindow) / count);
  }

  /** The false-positive probability of a window of generations with some: 1 - Π(1 - p). */
  public static double ofWindow(double... ofGenerations) {
    double log = 0;
    for (double p : ofGenerations) {
      log += Math.log1p(-Math.min(p, 1));
    }
    return -Math.expm1(log);
  }
}

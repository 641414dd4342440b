package io.bloomguard.generation;

import java.time.Duration;

/**
 * The time that a window filter remembers: {@code count} generations of {@code length} each, the
 * newest of which takes the adds.
 *
 * @param length the time of one generation, whole milliseconds, positive
 * @param count the number of generations that are checked, at least 2
 */
public record Window(Duration length, int count) {

  /**
   * Checks both.
   *
   * @param length the time of one generation, whole milliseconds, positive
   * @param count the number of generations that are checked, at least 2
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

  /** {@return the longest time for which a key is remembered} */
  public Duration span() {
    return length.multipliedBy(count);
  }

  /**
   * {@return the shortest time for which a key is remembered: it may be added at the end of its
   * generation}
   */
  public Duration least() {
    return length.multipliedBy(count - 1L);
  }

  /**
   * {@return the false-positive probability of one generation at which a window of full generations
   * has {@code ofWindow}: {@code 1 - (1 - p)^(1/count)}}
   *
   * @param ofWindow the false-positive probability of the window, within (0, 1)
   */
  public double ofGeneration(double ofWindow) {
    return -Math.expm1(Math.log1p(-ofWindow) / count);
  }

  /**
   * {@return the false-positive probability of a window from those of its generations: 1 - Π(1 -
   * p)}
   *
   * @param ofGenerations the false-positive probability of each generation, 0 to 1
   */
  public static double ofWindow(double... ofGenerations) {
    double log = 0;
    for (double p : ofGenerations) {
      log += Math.log1p(-Math.min(p, 1));
    }
    return -Math.expm1(log);
  }
}

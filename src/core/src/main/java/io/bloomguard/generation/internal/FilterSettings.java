package io.bloomguard.generation.internal;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.KeyRules;
import java.time.Duration;

/**
 * The configuration of one filter, without the places of its bits and its keys.
 *
 * @param name the filter's name
 * @param layout the arrangement of a key's bits
 * @param blockWords 64-bit words of a block (1, 2, 4 or 8); 0 for a layout without blocks
 * @param expectedInsertions n, the distinct keys that the filter is made for, at least 1
 * @param falsePositiveProbability p, the false-positive probability at n keys, within (0, 1)
 * @param warmUp the way in which the first generation is built
 * @param cooldown the least time between two requested rebuilds
 * @param atFill the fill ratio past which a larger generation is built, within (0, 1]
 * @param atRepeated the repeated false positives a second from which on the next generation is
 *     built, 0 for never
 * @param keyRules the rules for the keys of a source
 * @param journalRetention the time for which acknowledged adds are remembered, and by which a
 *     reading of recent keys overlaps the one before
 * @param recentInterval the time between two readings of recent keys
 * @param sourceRules the expectations of its source
 */
public record FilterSettings(
    String name,
    Layout layout,
    int blockWords,
    long expectedInsertions,
    double falsePositiveProbability,
    WarmUpMode warmUp,
    Duration cooldown,
    double atFill,
    double atRepeated,
    KeyRules keyRules,
    Duration journalRetention,
    Duration recentInterval,
    SourceRules sourceRules) {

  /**
   * Checks the fill ratio of growth.
   *
   * @param name the filter's name
   * @param layout the arrangement of a key's bits
   * @param blockWords 64-bit words of a block (1, 2, 4 or 8)
   * @param expectedInsertions n, the distinct keys that the filter is made for, at least 1
   * @param falsePositiveProbability p, the false-positive probability at n keys, within (0, 1)
   * @param warmUp the way in which the first generation is built
   * @param cooldown the least time between two requested rebuilds
   * @param atFill the fill ratio past which a larger generation is built, within (0, 1]
   * @param atRepeated the repeated false positives a second from which on the next generation is
   *     built, 0 for never
   * @param keyRules the rules for the keys of a source
   * @param journalRetention the time for which acknowledged adds are remembered, and by which a
   *     reading of recent keys overlaps the one before
   * @param recentInterval the time between two readings of recent keys
   * @param sourceRules the expectations of its source
   * @throws IllegalArgumentException if {@code atFill} is not within (0, 1]
   */
  public FilterSettings {
    if (!(atFill > 0 && atFill <= 1)) {
      throw new IllegalArgumentException("at-fill is " + atFill + ", but must be within (0, 1]");
    }
  }

  /** {@return the configured shape} */
  public FilterShape shape() {
    return shape(expectedInsertions);
  }

  /**
   * The shape for another number of keys, otherwise as configured.
   *
   * @param n the number of keys
   * @return the shape
   */
  public FilterShape shape(long n) {
    return Sizing.shape(layout, n, falsePositiveProbability, blockWords);
  }
}

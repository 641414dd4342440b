package io.bloomguard.generation;

import io.bloomguard.filter.FilterShape;

/**
 * The present status of a filter.
 *
 * @param state the state; {@code WARMING} and {@code FAILED} only if no generation serves
 * @param generation the number of the serving generation, 0 for none
 * @param shape the dimensions of the serving generation, or of the next one if none serves
 * @param estimatedElements distinct keys in the serving generation, estimated
 * @param fillRatio bits set over all bits of the serving generation, 0 to 1
 * @param expectedFalsePositiveProbability at that fill, 0 to 1
 * @param hasPrevious whether an older generation is kept that {@code rollback} could serve
 * @param isSettling whether it is in doubt, but will serve again without a new generation
 */
public record FilterStatus(
    FilterState state,
    long generation,
    FilterShape shape,
    long estimatedElements,
    double fillRatio,
    double expectedFalsePositiveProbability,
    boolean hasPrevious,
    boolean isSettling) {

  /**
   * The status of a filter that is not in a doubt that ends by itself.
   *
   * @param state the state; {@code WARMING} and {@code FAILED} only if no generation serves
   * @param generation the number of the serving generation, 0 for none
   * @param shape the dimensions of the serving generation, or of the next one if none serves
   * @param estimatedElements distinct keys in the serving generation, estimated
   * @param fillRatio bits set over all bits of the serving generation, 0 to 1
   * @param expectedFalsePositiveProbability at that fill, 0 to 1
   * @param hasPrevious whether an older generation is kept that {@code rollback} could serve
   */
  public FilterStatus(
      FilterState state,
      long generation,
      FilterShape shape,
      long estimatedElements,
      double fillRatio,
      double expectedFalsePositiveProbability,
      boolean hasPrevious) {
    this(
        state,
        generation,
        shape,
        estimatedElements,
        fillRatio,
        expectedFalsePositiveProbability,
        hasPrevious,
        false);
  }

  /**
   * {@return the same status in another state}
   *
   * @param other the state in place of {@link #state}
   */
  public FilterStatus in(FilterState other) {
    return in(other, false);
  }

  /** {@return the same status in a doubt that ends by itself} */
  public FilterStatus settling() {
    return in(FilterState.DOUBTFUL, true);
  }

  private FilterStatus in(FilterState other, boolean settling) {
    return new FilterStatus(
        other,
        generation,
        shape,
        estimatedElements,
        fillRatio,
        expectedFalsePositiveProbability,
        hasPrevious,
        settling);
  }
}

package io.bloomguard.generation;

import io.bloomguard.filter.FilterShape;

/**
 * A filter as it stands.
 *
 * @param state the state; {@code WARMING} and {@code FAILED} only where nothing serves
 * @param generation the number of the serving generation, 0 for none
 * @param shape the dimensions of the serving generation, or those of the next one where none serves
 * @param estimatedElements distinct keys in the serving generation, estimated
 * @param fillRatio bits set over all bits of the serving generation, 0 to 1
 * @param expectedFalsePositiveProbability at that fill, 0 to 1
 * @param hasPrevious whether an older generation is kept that {@code rollback} could serve
 */
public record FilterStatus(
    FilterState state,
    long generation,
    FilterShape shape,
    long estimatedElements,
    double fillRatio,
    double expectedFalsePositiveProbability,
    boolean hasPrevious) {

  /** The same in another state. */
  public FilterStatus in(FilterState other) {
    return new FilterStatus(
        other,
        generation,
        shape,
        estimatedElements,
        fillRatio,
        expectedFalsePositiveProbability,
        hasPrevious);
  }
}

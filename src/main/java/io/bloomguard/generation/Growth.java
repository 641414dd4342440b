package io.bloomguard.generation;

import io.bloomguard.filter.FilterShape;

/**
 * How large the next generation of a filter is made: as configured, or with n doubled as often as
 * the serving generation has outgrown it.
 *
 * <p>A larger one is at most three quarters as full as the fill ratio at which a filter is rebuilt,
 * so that such a rebuild is not followed by another before a third more keys have come.
 */
final class Growth {

  private static final double HEADROOM = 0.75;

  /** Above this fill the estimate of elements says little. */
  private static final double SATURATED = 0.9;

  /** The estimate of elements is within 2.5 %: a filter that is just full has not outgrown. */
  private static final double NOISE = 1.05;

  private final FilterSettings settings;
  private final FilterShape configured;

  Growth(FilterSettings settings) {
    this.settings = settings;
    this.configured = settings.shape();
  }

  /** The shape as it is configured. */
  FilterShape configured() {
    return configured;
  }

  /**
   * The shape of the next generation.
   *
   * @param status of what serves
   * @param forFill whether it is built because what serves is too full
   * @param lastKeys how many keys the source yielded last, 0 if that is not known
   */
  FilterShape next(FilterStatus status, boolean forFill, long lastKeys) {
    if (status.generation() == 0) {
      return configured;
    }
    long elements = status.estimatedElements();
    if (status.fillRatio() > SATURATED) {
      elements = Math.max(elements, lastKeys);
    }
    boolean outgrown =
        forFill
            || elements > NOISE * settings.expectedInsertions()
            || configured.fillRatioAt(elements) > settings.atFill();
    return outgrown ? grown(elements) : configured;
  }

  /** The shape with room for {@code elements}, or the largest there is. */
  private FilterShape grown(long elements) {
    FilterShape shape = configured;
    while (shape.fillRatioAt(elements) > HEADROOM * settings.atFill()) {
      try {
        shape = settings.shape(shape.expectedInsertions() * 2);
      } catch (IllegalArgumentException e) {
        // Past the limit of the layout.
        return shape;
      }
    }
    return shape;
  }
}

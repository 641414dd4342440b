package io.bloomguard.generation.internal.build;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.internal.FilterSettings;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * The policy for the size of a filter's next generation: as configured, or with n doubled as often
 * as the serving generation has outgrown it.
 *
 * <p>A larger one is at most three quarters as full as the fill ratio at which a filter is rebuilt,
 * so that after such a rebuild the next one comes only after a third more keys.
 */
final class ResizePolicy {

  private static final double HEADROOM = 0.75;

  /** The fill above which the estimate of elements is unreliable. */
  private static final double SATURATED = 0.9;

  /** The estimate of elements is within 2.5 %: a filter that is just full has not outgrown. */
  private static final double NOISE = 1.05;

  private static final BigDecimal QUARTER_MORE = BigDecimal.valueOf(1.25);
  private static final MathContext TWO_DIGITS = new MathContext(2, RoundingMode.UP);

  private final FilterSettings settings;
  private final FilterShape configured;
  private final boolean onHeap;
  private final boolean grows;

  /**
   * A policy for one filter.
   *
   * @param onHeap whether the filter is one array on the heap
   * @param grows whether a generation may be larger than configured
   */
  ResizePolicy(FilterSettings settings, boolean onHeap, boolean grows) {
    this.grows = grows;
    this.settings = settings;
    this.onHeap = onHeap;
    this.configured = settings.shape();
  }

  /**
   * The shape of the next generation.
   *
   * @param status the status of the serving generation
   * @param forFill whether it is built because the serving generation is too full
   * @param lastKeys the number of keys that the source yielded last, 0 if that is not known
   */
  FilterShape next(FilterStatus status, boolean forFill, long lastKeys) {
    if (status.generation() == 0 || !grows) {
      return configured;
    }
    long elements = elements(status, lastKeys);
    boolean outgrown =
        forFill
            || elements > NOISE * settings.expectedInsertions()
            || configured.fillRatioAt(elements) > settings.atFill();
    return outgrown ? grown(elements) : configured;
  }

  /**
   * The expected insertions to set for the serving generation, a quarter above its elements and
   * rounded up to two digits; 0 if it has not outgrown the present ones.
   *
   * @param lastKeys the number of keys that the source yielded last, 0 if that is not known
   */
  long outgrownTo(FilterStatus status, long lastKeys) {
    long elements = elements(status, lastKeys);
    if (status.generation() == 0 || elements <= NOISE * settings.expectedInsertions()) {
      return 0;
    }
    BigDecimal roomy = BigDecimal.valueOf(elements).multiply(QUARTER_MORE);
    return roomy.round(TWO_DIGITS).longValue();
  }

  private static long elements(FilterStatus status, long lastKeys) {
    long estimated = status.estimatedElements();
    return status.fillRatio() > SATURATED ? Math.max(estimated, lastKeys) : estimated;
  }

  /** The shape with room for {@code elements}, or the largest there is. */
  private FilterShape grown(long elements) {
    FilterShape shape = configured;
    while (shape.fillRatioAt(elements) > HEADROOM * settings.atFill()) {
      try {
        FilterShape twice = settings.shape(shape.expectedInsertions() * 2);
        shape = onHeap ? twice.onHeap() : twice;
      } catch (IllegalArgumentException e) {
        // Past the limit of the layout.
        return shape;
      }
    }
    return shape;
  }
}

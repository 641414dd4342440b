package io.bloomguard.actuate;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/** Name and key values of observed builds. A bean of this type overrides what it changes. */
public interface RebuildObservationConvention
    extends ObservationConvention<RebuildObservationContext> {

  @Override
  default String getName() {
    return BloomMetricNames.REBUILD;
  }

  @Override
  default String getContextualName(RebuildObservationContext context) {
    return "rebuild " + context.filter();
  }

  /** {@code filter}, {@code trigger}, and {@code outcome} once the build has ended. */
  @Override
  default KeyValues getLowCardinalityKeyValues(RebuildObservationContext context) {
    KeyValues values =
        KeyValues.of(BloomMetricNames.TAG_FILTER, context.filter(), "trigger", context.trigger());
    String outcome = context.outcome();
    return outcome == null ? values : values.and(BloomMetricNames.TAG_OUTCOME, outcome);
  }

  /** {@code run}. */
  @Override
  default KeyValues getHighCardinalityKeyValues(RebuildObservationContext context) {
    return KeyValues.of("run", context.run());
  }

  @Override
  default boolean supportsContext(Observation.Context context) {
    return context instanceof RebuildObservationContext;
  }
}

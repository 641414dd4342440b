package io.bloomguard.actuate;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/** Name and key values of observed loads. A bean of this type overrides what it changes. */
public interface LoadObservationConvention extends ObservationConvention<LoadObservationContext> {

  @Override
  default String getName() {
    return BloomMetricNames.LOAD;
  }

  @Override
  default String getContextualName(LoadObservationContext context) {
    return "load " + context.filter();
  }

  /** {@code filter}, and {@code outcome} once the load has ended. */
  @Override
  default KeyValues getLowCardinalityKeyValues(LoadObservationContext context) {
    KeyValues values = KeyValues.of(BloomMetricNames.TAG_FILTER, context.filter());
    String outcome = context.outcome();
    return outcome == null ? values : values.and(BloomMetricNames.TAG_OUTCOME, outcome);
  }

  @Override
  default boolean supportsContext(Observation.Context context) {
    return context instanceof LoadObservationContext;
  }
}

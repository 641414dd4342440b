package io.bloomguard.actuate;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/** The observed work of one filter. */
abstract class FilterObservationContext extends Observation.Context {

  private final String filter;
  private @Nullable String outcome;

  FilterObservationContext(String filter) {
    this.filter = filter;
  }

  /** {@return the filter's name} */
  public String filter() {
    return filter;
  }

  /** {@return the result in lower case, as the meters have it; null until the work ends} */
  public @Nullable String outcome() {
    return outcome;
  }

  void end(String result) {
    outcome = result;
  }
}

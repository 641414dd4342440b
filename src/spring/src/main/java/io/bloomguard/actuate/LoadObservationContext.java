package io.bloomguard.actuate;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/** The observed load of a key by the application's loader. It does not hold the key. */
public final class LoadObservationContext extends Observation.Context {

  private final String filter;
  private @Nullable String outcome;

  LoadObservationContext(String filter) {
    this.filter = filter;
  }

  /** {@return the filter's name} */
  public String filter() {
    return filter;
  }

  /** {@return {@code found}, {@code absent} or {@code error}; null until the load ends} */
  public @Nullable String outcome() {
    return outcome;
  }

  void end(String result) {
    outcome = result;
  }
}

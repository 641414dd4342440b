package io.bloomguard.actuate;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/** The observed build of a generation. */
public final class RebuildObservationContext extends Observation.Context {

  private final String filter;
  private final String run;
  private final String trigger;
  private @Nullable String outcome;

  RebuildObservationContext(String filter, String run, String trigger) {
    this.filter = filter;
    this.run = run;
    this.trigger = trigger;
  }

  /** {@return the filter's name} */
  public String filter() {
    return filter;
  }

  /** {@return the build's identifier, as the endpoint shows it} */
  public String run() {
    return run;
  }

  /** {@return the build's cause, in lower case} */
  public String trigger() {
    return trigger;
  }

  /** {@return the build's result, in lower case; null until it ends} */
  public @Nullable String outcome() {
    return outcome;
  }

  void end(String result) {
    outcome = result;
  }
}

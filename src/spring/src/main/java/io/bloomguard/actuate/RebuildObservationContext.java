package io.bloomguard.actuate;

/** The observed build of a generation. */
public final class RebuildObservationContext extends FilterObservationContext {

  private final String run;
  private final String trigger;

  RebuildObservationContext(String filter, String run, String trigger) {
    super(filter);
    this.run = run;
    this.trigger = trigger;
  }

  /** {@return the build's identifier, as the endpoint shows it} */
  public String run() {
    return run;
  }

  /** {@return the build's cause, in lower case} */
  public String trigger() {
    return trigger;
  }
}

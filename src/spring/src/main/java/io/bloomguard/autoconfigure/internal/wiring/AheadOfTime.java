package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.guard.StartRefusedException;

/**
 * The refusal of properties that decide which beans there are, and have changed since the
 * application was processed ahead of time, which fixed its beans.
 */
public final class AheadOfTime {

  private AheadOfTime() {}

  /**
   * @param now what holds now, such as {@code bloomguard.enabled is false}
   * @param verb {@code was} or {@code were}, of what did not hold then
   */
  public static StartRefusedException changed(String now, String verb) {
    return new StartRefusedException(
        "%s, but %s not when this application was processed ahead of time, which fixed its beans"
            .formatted(now, verb),
        "Process it ahead of time with the properties that it is to run with, or start it without"
            + " spring.aot.enabled.");
  }
}

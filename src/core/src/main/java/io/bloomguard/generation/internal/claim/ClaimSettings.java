package io.bloomguard.generation.internal.claim;

import io.bloomguard.guard.AddFailedException;
import java.time.Duration;

/**
 * How long the answers to adds under claims are kept, and how many.
 *
 * @param property the property that sets the bound
 * @param ttl from the add on
 * @param maxBytes their most memory, in all partitions together
 */
public record ClaimSettings(String property, Duration ttl, long maxBytes) {

  /** {@return the settings of a filter that sets none} */
  public static ClaimSettings usual(String filter) {
    return new ClaimSettings(property(filter), Duration.ofHours(24), 64L << 20);
  }

  /** {@return the refusal of an add for which there is no room} */
  public AddFailedException full(String filter) {
    return new AddFailedException(
        "Filter '"
            + filter
            + "' takes no adds under claims for now: their answers have reached "
            + maxBytes
            + " bytes, the bound of "
            + property
            + "; raise that, or shorten the filter's claims.ttl",
        null);
  }

  /** {@return the refusal of an add of which it is not known which keys are new} */
  public static AddFailedException unsettled(String filter) {
    return new AddFailedException(
        "Filter '"
            + filter
            + "' could not take an add under a claim: it cannot tell which keys are new until a"
            + " generation serves without doubt",
        null);
  }

  /** {@return the property that sets a filter's bound} */
  public static String property(String filter) {
    return "bloomguard.filters." + filter + ".claims.max-size";
  }
}

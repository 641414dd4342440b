package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.guard.internal.verify.VerifySettings;
import io.bloomguard.guard.internal.verify.WrongRejectionPolicy;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How many rejections of a filter are verified, in each process: the key goes to the load all the
 * same, which shows whether it was rejected rightly.
 *
 * @param first How many of the first distinct keys that each generation would reject are let
 *     through, 0 to 1000000.
 * @param sample The share of all other rejections that are let through, 0 to 1.
 * @param maxPerSecond The most keys that are let through, a second and at once.
 * @param onWrongRejection What a wrong rejection leads to: disarm (the filter rejects nothing until
 *     an operator arms or rebuilds it) or count.
 * @param reports What a report of the membership API leads to that a rejected key was found:
 *     disarm, count or ignore.
 */
public record VerifyProperties(
    @DefaultValue("1000") int first,
    @DefaultValue("0.0001") double sample,
    @DefaultValue("100") int maxPerSecond,
    @DefaultValue("disarm") OnWrongRejection onWrongRejection,
    @DefaultValue("disarm") WrongRejectionPolicy reports) {

  VerifySettings settings() {
    return new VerifySettings(first, sample, maxPerSecond, onWrongRejection.policy(), reports);
  }
}

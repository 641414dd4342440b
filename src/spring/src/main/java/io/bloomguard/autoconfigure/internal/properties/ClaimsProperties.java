package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.generation.internal.claim.ClaimSettings;
import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How the answers to adds under a claim are kept: to calls of the membership API with an
 * Idempotency-Key, and of putEach with a claim.
 *
 * @param ttl How long a repeat gets the answer of the first add.
 * @param maxSize The most memory of all of them; beyond it an add under a new claim is 503.
 */
public record ClaimsProperties(
    @DefaultValue("24h") Duration ttl, @DefaultValue("64MB") DataSize maxSize) {

  /** The settings for a filter. */
  public ClaimSettings settings(String filter) {
    return new ClaimSettings(ClaimSettings.property(filter), ttl, maxSize.toBytes());
  }
}

package io.bloomguard.autoconfigure.keyed.embeddable;

import io.bloomguard.annotation.BloomKey;
import jakarta.persistence.Embeddable;

/** An embeddable, whose annotations no mapping reads. */
@Embeddable
public class Address {
  @BloomKey(filter = "things")
  String postcode;
}

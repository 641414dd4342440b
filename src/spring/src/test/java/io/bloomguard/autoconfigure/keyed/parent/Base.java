package io.bloomguard.autoconfigure.keyed.parent;

import io.bloomguard.annotation.BloomKey;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;

/** A mapped superclass of no entity. */
@MappedSuperclass
@BloomKey(filter = "things")
public class Base {
  @Id long id;
}

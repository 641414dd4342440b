package io.bloomguard.autoconfigure.keyed.entity;

import io.bloomguard.annotation.BloomKey;
import jakarta.persistence.MappedSuperclass;

/** The superclass of an entity. */
@MappedSuperclass
class Named {
  @BloomKey(filter = "things")
  String name;
}

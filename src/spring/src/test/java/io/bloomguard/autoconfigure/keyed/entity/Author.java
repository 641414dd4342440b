package io.bloomguard.autoconfigure.keyed.entity;

import io.bloomguard.annotation.BloomKey;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** An entity whose keys are its own and those of the class that it extends. */
@Entity
@BloomKey(filter = "things")
public class Author extends Named {
  @Id long id;
}

package io.bloomguard.it.recipes.twokeys;

import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;

/** An id, drawn by the database. */
@MappedSuperclass
public abstract class BaseEntity {

  @Id @GeneratedValue private Long id;

  public Long getId() {
    return id;
  }
}

package io.bloomguard.it.recipes.jpa;

import io.bloomguard.annotation.BloomKey;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;

// tag::entity[]
@Entity
@BloomKey(filter = "owners") // its id
public class Owner {

  @Id @GeneratedValue private Long id;
  private String name;

  // constructors, getters and setters
  // end::entity[]
  protected Owner() {}

  public Owner(String name) {
    this.name = name;
  }

  public Long getId() {
    return id;
  }

  public String getName() {
    return name;
  }
  // tag::entity[]
}
// end::entity[]

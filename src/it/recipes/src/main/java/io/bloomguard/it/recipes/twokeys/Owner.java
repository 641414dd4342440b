package io.bloomguard.it.recipes.twokeys;

import io.bloomguard.annotation.BloomKey;
import jakarta.persistence.Entity;

// tag::entity[]
@Entity
@BloomKey(filter = "owners") // its id
@BloomKey(filter = "owner-names", attribute = "name") // and another key
public class Owner extends BaseEntity {

  private String name;

  // constructors, getters and setters
  // end::entity[]
  protected Owner() {}

  public Owner(String name) {
    this.name = name;
  }

  public String getName() {
    return name;
  }

  public void setName(String name) {
    this.name = name;
  }
  // tag::entity[]
}
// end::entity[]

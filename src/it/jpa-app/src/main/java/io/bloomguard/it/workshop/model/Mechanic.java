package io.bloomguard.it.workshop.model;

import io.bloomguard.annotation.BloomKey;
import jakarta.persistence.Entity;

/** Somebody who repairs. */
@Entity
@BloomKey(filter = "mechanics")
public class Mechanic extends Person {

  private String skill;

  protected Mechanic() {}

  public Mechanic(String name, String email, String skill) {
    super(name, email);
    this.skill = skill;
  }

  public String getSkill() {
    return skill;
  }

  public void setSkill(String skill) {
    this.skill = skill;
  }
}

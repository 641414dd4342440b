package io.bloomguard.it.workshop.model;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.NotBlank;

/** Somebody whom the workshop knows by a mail address. */
@Entity
@Inheritance(strategy = InheritanceType.JOINED)
public abstract class Person extends Numbered {

  @NotBlank private String name;

  @NotBlank
  @Email
  @Column(unique = true)
  private String email;

  protected Person() {}

  protected Person(String name, String email) {
    this.name = name;
    this.email = email;
  }

  public String getName() {
    return name;
  }

  public void setName(String name) {
    this.name = name;
  }

  public String getEmail() {
    return email;
  }

  public void setEmail(String email) {
    this.email = email;
  }
}

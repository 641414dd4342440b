package io.bloomguard.it.workshop.model;

import io.bloomguard.annotation.BloomKey;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.validation.constraints.NotBlank;

/** A seller of parts, known by its name. */
@Entity
public class Supplier extends Numbered {

  @NotBlank
  @Column(unique = true)
  @BloomKey(filter = "suppliers")
  private String name;

  protected Supplier() {}

  public Supplier(String name) {
    this.name = name;
  }

  public String getName() {
    return name;
  }

  public void setName(String name) {
    this.name = name;
  }
}

package io.bloomguard.it.workshop.model;

import io.bloomguard.annotation.BloomKey;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.PositiveOrZero;
import jakarta.validation.constraints.Size;

/** A part under the article number that its maker gave it. */
@Entity
@BloomKey(filter = "parts")
public class Part {

  @Id
  @NotBlank
  @Size(max = 20)
  private String number;

  @NotBlank private String label;

  @PositiveOrZero private int cents;

  @ManyToOne(fetch = FetchType.LAZY)
  private Supplier supplier;

  public Part() {}

  public Part(String number, String label, int cents) {
    this.number = number;
    this.label = label;
    this.cents = cents;
  }

  public String getNumber() {
    return number;
  }

  public void setNumber(String number) {
    this.number = number;
  }

  public String getLabel() {
    return label;
  }

  public void setLabel(String label) {
    this.label = label;
  }

  public int getCents() {
    return cents;
  }

  public void setCents(int cents) {
    this.cents = cents;
  }

  public Supplier getSupplier() {
    return supplier;
  }

  public void setSupplier(Supplier supplier) {
    this.supplier = supplier;
  }
}

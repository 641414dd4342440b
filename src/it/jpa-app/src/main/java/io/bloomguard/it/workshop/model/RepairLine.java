package io.bloomguard.it.workshop.model;

import jakarta.persistence.Entity;
import jakarta.persistence.ManyToOne;

/** Parts that a repair took. */
@Entity
public class RepairLine extends Counted {

  @ManyToOne(optional = false)
  private Part part;

  private int quantity;
  private int centsEach;

  protected RepairLine() {}

  public RepairLine(Part part, int quantity) {
    this.part = part;
    this.quantity = quantity;
    this.centsEach = part.getCents();
  }

  public Part getPart() {
    return part;
  }

  public int getQuantity() {
    return quantity;
  }

  public void setQuantity(int quantity) {
    this.quantity = quantity;
  }

  int cents() {
    return quantity * centsEach;
  }
}

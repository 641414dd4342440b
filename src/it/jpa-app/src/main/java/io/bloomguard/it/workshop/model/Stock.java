package io.bloomguard.it.workshop.model;

import io.bloomguard.annotation.BloomKey;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Version;

/** How many of a part lie in a depot. */
@Entity
@BloomKey(filter = "stocked-parts", attribute = "id.part")
public class Stock {

  @EmbeddedId private StockId id;

  @Version private Integer version;

  private int quantity;

  protected Stock() {}

  public Stock(StockId id, int quantity) {
    this.id = id;
    this.quantity = quantity;
  }

  public StockId getId() {
    return id;
  }

  public int getQuantity() {
    return quantity;
  }

  public void setQuantity(int quantity) {
    this.quantity = quantity;
  }
}

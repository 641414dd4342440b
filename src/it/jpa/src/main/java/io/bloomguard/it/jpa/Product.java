package io.bloomguard.it.jpa;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.util.UUID;

/** A row whose id the application gives it. */
@Entity
public class Product {

  @Id private UUID id;
  private String sku;

  protected Product() {}

  public Product(UUID id, String sku) {
    this.id = id;
    this.sku = sku;
  }

  public UUID getId() {
    return id;
  }

  public String getSku() {
    return sku;
  }
}

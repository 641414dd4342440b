package io.bloomguard.it.contestants;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;

/** Products behind the filter {@code products}; an absent one is null. */
@Service
@Profile("!throw & !uncached")
public class GuardedProducts implements Products {

  private final ProductTable table;

  GuardedProducts(ProductTable table) {
    this.table = table;
  }

  @Override
  @BloomGuarded(filter = "products", key = "#id")
  public Product find(String id) {
    return table.find(id);
  }

  @Override
  @BloomPut(filter = "products", key = "#product.id")
  public void insert(Product product) {
    table.insert(product);
  }
}

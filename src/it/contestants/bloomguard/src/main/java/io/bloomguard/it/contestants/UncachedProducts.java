package io.bloomguard.it.contestants;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.Caching;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;

/**
 * Products behind the filter {@code products}, which decides only: all values come from the table.
 */
@Service
@Profile("uncached")
public class UncachedProducts implements Products {

  private final ProductTable table;

  UncachedProducts(ProductTable table) {
    this.table = table;
  }

  @Override
  @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
  public Product find(String id) {
    return table.find(id);
  }

  @Override
  @BloomPut(filter = "products", key = "#product.id")
  public void insert(Product product) {
    table.insert(product);
  }
}

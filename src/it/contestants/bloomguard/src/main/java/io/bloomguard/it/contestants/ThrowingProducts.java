package io.bloomguard.it.contestants;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.OnAbsent;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;

/** Products behind the filter {@code products}; an absent one is an exception, which is a 404. */
@Service
@Profile("throw")
public class ThrowingProducts implements Products {

  private final ProductTable table;

  ThrowingProducts(ProductTable table) {
    this.table = table;
  }

  @Override
  @BloomGuarded(filter = "products", key = "#id", onAbsent = OnAbsent.THROW)
  public Product find(String id) {
    return table.find(id);
  }

  @Override
  @BloomPut(filter = "products", key = "#product.id")
  public void insert(Product product) {
    table.insert(product);
  }
}

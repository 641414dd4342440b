package io.bloomguard.it.contestants;

import org.springframework.stereotype.Service;

/** Every request is a query. */
@Service
class UnguardedProducts implements Products {

  private final ProductTable table;

  UnguardedProducts(ProductTable table) {
    this.table = table;
  }

  @Override
  public Product find(String id) {
    return table.find(id);
  }

  @Override
  public void insert(Product product) {
    table.insert(product);
  }
}

package io.bloomguard.it.contestants;

import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.stereotype.Service;

/** Products, and the nulls of absent ids, in Spring's cache. */
@Service
public class CachedProducts implements Products {

  private final ProductTable table;

  CachedProducts(ProductTable table) {
    this.table = table;
  }

  @Override
  @Cacheable(cacheNames = "products", key = "#id")
  public Product find(String id) {
    return table.find(id);
  }

  @Override
  @CacheEvict(cacheNames = "products", key = "#product.id")
  public void insert(Product product) {
    table.insert(product);
  }
}

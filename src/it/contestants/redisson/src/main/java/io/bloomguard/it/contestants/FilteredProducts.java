package io.bloomguard.it.contestants;

import org.redisson.api.RBloomFilter;
import org.springframework.context.annotation.Primary;
import org.springframework.stereotype.Service;

/** The filter is asked by hand; what it passes goes to Spring's cache. */
@Service
@Primary
class FilteredProducts implements Products {

  private final RBloomFilter<String> ids;
  private final CachedProducts products;

  FilteredProducts(RBloomFilter<String> ids, CachedProducts products) {
    this.ids = ids;
    this.products = products;
  }

  @Override
  public Product find(String id) {
    return ids.contains(id) ? products.find(id) : null;
  }

  @Override
  public void insert(Product product) {
    ids.add(product.id());
    products.insert(product);
  }
}

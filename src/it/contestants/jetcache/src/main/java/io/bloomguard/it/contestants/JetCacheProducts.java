package io.bloomguard.it.contestants;

import com.alicp.jetcache.anno.CacheInvalidate;
import com.alicp.jetcache.anno.CachePenetrationProtect;
import com.alicp.jetcache.anno.Cached;
import org.springframework.stereotype.Service;

/** Products and nulls in Redis; JetCache has one lifetime for both. */
@Service
public class JetCacheProducts implements Products {

  private final ProductTable table;

  JetCacheProducts(ProductTable table) {
    this.table = table;
  }

  @Override
  @Cached(name = "products.", key = "#id", expire = 600, cacheNullValue = true)
  @CachePenetrationProtect
  public Product find(String id) {
    return table.find(id);
  }

  @Override
  @CacheInvalidate(name = "products.", key = "#product.id")
  public void insert(Product product) {
    table.insert(product);
  }
}

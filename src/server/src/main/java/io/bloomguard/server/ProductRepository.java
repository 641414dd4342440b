package io.bloomguard.server;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The products of the demo catalogue, guarded by the filter {@code products}. */
class ProductRepository {

  private final JdbcClient jdbc;
  private final LongAdder lookups = new LongAdder();

  ProductRepository(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** The product of that id. */
  @BloomGuarded(filter = "products", key = "#id")
  public Optional<Product> findById(long id) {
    return lookUp(id);
  }

  /** The lookup as it would be without a guard, for those who want to see what that costs. */
  public Optional<Product> findWithoutGuard(long id) {
    return lookUp(id);
  }

  /** How often the database has been asked for a product. */
  public long lookups() {
    return lookups.sum();
  }

  private Optional<Product> lookUp(long id) {
    lookups.increment();
    return jdbc.sql("select id, name, price from products where id = ?")
        .param(id)
        .query(Product.class)
        .optional();
  }

  /** An id that no product has had; drawn before the insert, so that it can enter the filter. */
  public long nextId() {
    return jdbc.sql("select next value for product_ids").query(Long.class).single();
  }

  /** Inserts a product under an id from {@link #nextId}. */
  @BloomPut(filter = "products", key = "#product.id")
  public Product save(Product product) {
    jdbc.sql("insert into products (id, name, price) values (?, ?, ?)")
        .params(product.id(), product.name(), product.price())
        .update();
    return product;
  }
}

package io.bloomguard.server;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The products of the demo catalogue, guarded by the filter {@code products}. */
class ProductRepository {

  private final JdbcClient jdbc;

  ProductRepository(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** The product of that id. */
  @BloomGuarded(filter = "products", key = "#id")
  public Optional<Product> findById(long id) {
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

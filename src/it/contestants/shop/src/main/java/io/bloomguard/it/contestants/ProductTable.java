package io.bloomguard.it.contestants;

import java.util.concurrent.atomic.LongAdder;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The products in the database, and how often they have been asked for. */
@Repository
public class ProductTable {

  private final JdbcClient jdbc;
  private final LongAdder queries = new LongAdder();

  ProductTable(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** The product of that id, or null. */
  public Product find(String id) {
    queries.increment();
    return jdbc.sql("select id, name, price from products where id = ?")
        .param(id)
        .query(
            (row, number) -> new Product(row.getString(1), row.getString(2), row.getBigDecimal(3)))
        .optional()
        .orElse(null);
  }

  public void insert(Product product) {
    jdbc.sql("insert into products (id, name, price) values (?, ?, ?)")
        .params(product.id(), product.name(), product.price())
        .update();
  }

  long queries() {
    return queries.sum();
  }
}
